#!/bin/sh
# Runs the core tests (no browser, no torch) on each supported Python found, each in a virtual environment of its own.
set -eu
ran=0
for version in 3.11 3.12 3.13; do
    python="python$version"
    command -v "$python" >/dev/null 2>&1 && "$python" -c '' 2>/dev/null ||
        python=$(ls "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$version".*/bin/python 2>/dev/null | tail -n 1)
    [ -n "$python" ] || { echo "Python $version: not found, skipped"; continue; }
    venv=".venv-$version"
    [ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -e ".[dev]"
    echo "Python $version: $("$venv/bin/python" -V)"
    "$venv/bin/python" -m pytest -q -n 2 --dist loadfile --ignore=tests/frontend -m "not slow and not network and not gpu and not browser"
    ran=$((ran + 1))
done
[ "$ran" -gt 0 ] || { echo "no supported Python found" >&2; exit 1; }
