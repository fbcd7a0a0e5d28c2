#!/bin/sh
# Installs what pip cannot: bubblewrap (the sandbox's outer wall) and a Chromium (the renderer). Does nothing where both
# are there; where it may not install, it says what is missing and goes on, since the suite runs without them at a
# weaker isolation or without the frontend.
set -u
missing=""
command -v bwrap >/dev/null 2>&1 || missing="$missing bubblewrap"
if [ "${1:-all}" = "all" ]; then
    command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 ||
        command -v google-chrome >/dev/null 2>&1 || missing="$missing chromium"
fi
[ -z "$missing" ] && exit 0
as_root=""
[ "$(id -u)" -eq 0 ] || as_root="sudo -n"
if command -v apt-get >/dev/null 2>&1 && { [ -z "$as_root" ] || sudo -n true 2>/dev/null; }; then
    echo "installing system packages:$missing"
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086
    $as_root apt-get update -qq >/dev/null && $as_root apt-get install -y -qq $missing >/dev/null && exit 0
    echo "could not install:$missing" >&2
else
    echo "not installed:$missing (install them with your package manager, as root)" >&2
fi
exit 0
