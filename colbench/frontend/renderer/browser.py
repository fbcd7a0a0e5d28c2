"""Where the browser is and how it is started.

The look-up order is: the path given, ``$COLBENCH_BROWSER``, Playwright's own Chromium, a Chromium on the PATH. The
flags serve three aims: nothing in the background may reach for the network, the same page gives the same bytes, and
nothing is computed that no picture needs.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from colbench.errors import RendererError

__all__ = ["BROWSER_VARIABLE", "browser_flags", "find_browser"]

BROWSER_VARIABLE = "COLBENCH_BROWSER"

# The headless shell comes first: it has no window to build for every context and is nearly twice as fast.
_ON_PATH = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
)

# Distributions start the browser through a shell script that adds extensions and settings of the machine; the program
# itself stands in one of these places.
_BEHIND_SCRIPT = (
    "/usr/lib/chromium/chromium-headless-shell",
    "/usr/lib/chromium/chromium",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/usr/lib/chromium-browser/chromium-browser",
    "/opt/google/chrome/chrome",
)

_FEATURES_OFF = (
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AutofillServerCommunication",
    "CertificateTransparencyComponentUpdater",
    "Translate",
    "InterestFeedContentSuggestions",
    "GlobalMediaControls",
    # A second renderer process kept in reserve costs as much as the page's own and is never used.
    "SpareRendererForSitePerProcess",
    # Parts of the browser's own window that are web pages: one more renderer process for every window, never seen.
    "InitialWebUI",
    "PreloadTopChromeWebUI",
    "WebUIReloadButton",
    "WebUIToolbar",
    "WebUIOmniboxPopup",
    "WebUIOmniboxFullPopup",
    "WebUIOmniboxAimPopup",
    "LazyFrameLoading",
    "LazyImageLoading",
)


def browser_flags() -> list[str]:
    """Command line switches, besides those that Playwright gives."""
    return [
        f"--disable-features={','.join(_FEATURES_OFF)}",
        # No name resolves and no address is reached, should a request ever pass the interception.
        "--host-resolver-rules=MAP * ~NOTFOUND",
        "--disable-background-networking",
        "--disable-domain-reliability",
        "--disable-client-side-phishing-detection",
        "--disable-sync",
        "--no-pings",
        "--dns-prefetch-disable",
        "--disable-extensions",
        "--disable-component-update",
        "--disable-breakpad",
        "--disable-crash-reporter",
        "--disable-notifications",
        "--disable-speech-api",
        "--disable-print-preview",
        # Same bytes every time: software raster, no glyph hinting, large pictures decoded before the shot.
        "--disable-gpu",
        "--disable-gpu-rasterization",
        "--font-render-hinting=none",
        "--disable-lcd-text",
        "--disable-checker-imaging",
        "--disable-partial-raster",
        "--disable-image-animation-resync",
        "--disable-threaded-animation",
        "--disable-threaded-scrolling",
        "--disable-smooth-scrolling",
        "--blink-settings=imageAnimationPolicy=2,primaryHoverType=2,availableHoverTypes=2,"
        "primaryPointerType=4,availablePointerTypes=4",
        "--lang=en-US",
    ]


def find_browser(path: str | os.PathLike[str] | None = None, playwrights_own: str | None = None) -> Path:
    """The browser's program file.

    Args:
        path: the user's choice.
        playwrights_own: where Playwright would have installed its own.

    Raises:
        RendererError: if there is none, naming the commands that install one, or if the chosen one is missing.
    """
    for chosen, origin in ((path, "browser_path"), (os.environ.get(BROWSER_VARIABLE), f"${BROWSER_VARIABLE}")):
        if chosen:
            found = shutil.which(os.fspath(chosen))
            if found is None:
                raise RendererError(f"{origin}: there is no program {os.fspath(chosen)!r}")
            return _program(Path(found))
    if playwrights_own and Path(playwrights_own).is_file():
        return Path(playwrights_own)
    for name in _ON_PATH:
        found = shutil.which(name)
        if found:
            return _program(Path(found))
    if sys.platform == "darwin":
        for name in ("Chromium.app/Contents/MacOS/Chromium", "Google Chrome.app/Contents/MacOS/Google Chrome"):
            if (Path("/Applications") / name).is_file():
                return Path("/Applications") / name
    raise RendererError(
        "no browser found. Install one with either\n"
        "    playwright install chromium\n"
        "or, on Debian and Ubuntu,\n"
        "    apt-get install chromium        (chromium-headless-shell, where there is one, is faster)\n"
        f"or name one in ${BROWSER_VARIABLE}."
    )


def _program(path: Path) -> Path:
    """The program itself where `path` is a distribution's start script."""
    try:
        with path.open("rb") as file:
            is_script = file.read(2) == b"#!"
    except OSError:
        return path
    if is_script:
        for candidate in _BEHIND_SCRIPT:
            if ("headless" in candidate) == ("headless" in path.name) and os.access(candidate, os.X_OK):
                return Path(candidate)
    return path.resolve()
