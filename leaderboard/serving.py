"""Serves a built site on this machine, with the headers that a careful host would send."""

from __future__ import annotations

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from colbench.errors import ConfigurationError
from leaderboard.web.pages import POLICY

__all__ = ["server_of"]


class _Handler(SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", f"{POLICY}; frame-ancestors 'none'")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


def server_of(site: Path, host: str = "127.0.0.1", port: int = 8000) -> ThreadingHTTPServer:
    """A server of a site, bound but not yet serving.

    Raises:
        ConfigurationError: there is no site, or the address is taken.
    """
    if not (site / "index.html").is_file():
        raise ConfigurationError(f"{site} holds no site; make one with 'python -m leaderboard build --out {site}'")
    try:
        return ThreadingHTTPServer((host, port), partial(_Handler, directory=str(site)))
    except OSError as problem:
        raise ConfigurationError(f"cannot listen on {host}:{port} ({problem.strerror}); give another --port") from None
