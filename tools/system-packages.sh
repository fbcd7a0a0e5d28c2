#!/bin/sh
# Installs what pip cannot: bubblewrap (the sandbox's outer wall) and a Chromium (the renderer; the headless shell where
# the system has it, since it is smaller and draws the same pixels faster). Does nothing where both are there; where it
# may not install, it says what is missing and goes on, since the suite runs without them at a weaker isolation or
# without the frontend.
set -u

have() { command -v "$1" >/dev/null 2>&1; }
have_browser() { have chromium-headless-shell || have chromium || have chromium-browser || have google-chrome; }

offered() { have apt-cache && apt-cache show chromium-headless-shell >/dev/null 2>&1; }

have bwrap && have chromium-headless-shell && exit 0
have bwrap && have_browser && ! offered && exit 0
as_root=""
[ "$(id -u)" -eq 0 ] || as_root="sudo -n"
if have apt-get && { [ -z "$as_root" ] || sudo -n true 2>/dev/null; }; then
    export DEBIAN_FRONTEND=noninteractive
    install() { $as_root apt-get install -y -qq "$1" >/dev/null 2>&1; }
    echo "looking for system packages (bubblewrap, chromium)"
    $as_root apt-get update -qq >/dev/null 2>&1
    have bwrap || install bubblewrap
    have chromium-headless-shell || install chromium-headless-shell || have_browser || install chromium
fi
have bwrap || echo "not installed: bubblewrap (install it as root, for full isolation)" >&2
have_browser || echo "not installed: chromium (install it as root, for the frontend)" >&2
exit 0
