"""Browsers come when they are needed, never more than asked for, and go with their owner, however it ends."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import textwrap
import time

import psutil
import pytest
from rendering_support import browser_missing, needs_assets, renderer, tailwind_page

from colbench.errors import ConfigurationError, RendererError
from colbench.frontend.renderer import Renderer, close_all, shared_renderer
from colbench.frontend.renderer import engine as engine_module
from colbench.frontend.renderer import worker as worker_module

__all__ = ["renderer"]

pytestmark = pytest.mark.browser


@pytest.fixture(autouse=True)
def _browser() -> None:
    reason = browser_missing()
    if reason:
        pytest.skip(reason)


def gone(pids: list[int], seconds: float = 20.0) -> list[int]:
    """The processes that are still there after a while."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        left = [pid for pid in pids if psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE]
        if not left:
            return []
        time.sleep(0.1)
    return left


def below(pid: int) -> list[int]:
    return [process.pid for process in psutil.Process(pid).children(recursive=True)]


def program(pid: int) -> str:
    try:
        return psutil.Process(pid).exe()
    except psutil.Error:  # gone meanwhile
        return ""


SCRIPT = """
    import sys, time
    from colbench.frontend.renderer import Renderer
    renderer = Renderer(isolate={isolate})
    page = renderer.render("<p>Hi</p>")
    print(page.status, renderer.versions["isolation"], flush=True)
    sys.stdin.readline()
    {end}
"""


@pytest.mark.parametrize(
    ("isolate", "end", "sent"),
    [
        ("'auto'", "raise RuntimeError('broken')", None),
        ("'auto'", "time.sleep(600)", signal.SIGKILL),
        ("False", "time.sleep(600)", signal.SIGKILL),
        ("False", "sys.exit(3)", None),
    ],
    ids=["an exception", "kill -9", "kill -9 without bubblewrap", "exit without bubblewrap"],
)
def test_everything_ends_with_the_process(isolate: str, end: str, sent: int | None) -> None:
    code = textwrap.dedent(SCRIPT.format(isolate=isolate, end=end))
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin and process.stdout
    assert process.stdout.readline().startswith("ok")
    pids = below(process.pid)
    assert len(pids) >= 3  # the driver, the browser, its children
    if sent is None:
        process.stdin.write("\n")
        process.stdin.flush()
    else:
        process.send_signal(sent)
    process.wait(60)
    assert gone(pids) == []


def test_close_ends_everything_and_says_so() -> None:
    with Renderer() as own:
        assert "idle" in repr(own)
        before = set(below(os.getpid()))
        own.render("<p>Hi</p>")
        started = [pid for pid in below(os.getpid()) if pid not in before]
        assert started
    assert gone(started) == []
    assert "closed" in repr(own)
    with pytest.raises(RendererError, match="closed"):
        own.render("<p>Hi</p>")
    own.close()  # twice is once


def test_a_forgotten_renderer_ends_with_its_last_reference() -> None:
    own = Renderer()
    before = set(below(os.getpid()))
    own.render("<p>Hi</p>")
    started = [pid for pid in below(os.getpid()) if pid not in before]
    del own
    assert gone(started) == []


async def test_inside_a_running_event_loop(renderer: Renderer) -> None:
    pages = await asyncio.gather(*(renderer.arender(f"<p>Page {n}</p>") for n in range(4)))
    assert [page.elements[-1]["text"] for page in pages] == [f"Page {n}" for n in range(4)]
    assert renderer.render("<p>Page 0</p>").png == pages[0].png  # blocking works here as well, as in a notebook


async def test_a_caller_that_gives_up_does_not_break_the_next(renderer: Renderer) -> None:
    task = asyncio.ensure_future(renderer.arender("<p>" + "word " * 50_000))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await renderer.arender("<p>Hi</p>")).status == "ok"


def test_after_a_fork_the_child_has_its_own(renderer: Renderer) -> None:
    expected = renderer.render("<p>Hi</p>").png_hash
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(writer, str(renderer.render("<p>Hi</p>").png_hash).encode())
            renderer.close()
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        got = pipe.read().decode()
    os.waitpid(pid, 0)
    assert got == expected
    assert renderer.render("<p>Hi</p>").png_hash == expected  # the parent's is unharmed


def test_a_killed_browser_is_replaced(renderer: Renderer) -> None:
    expected = renderer.render("<p>Hi</p>").png
    engine = renderer._engine
    assert engine is not None
    box = engine._workers[0]._box
    assert box is not None
    box.kill()
    page = renderer.render("<p>Hi</p>")
    assert (page.status, page.png) == ("ok", expected)


def test_a_dead_driver_is_replaced() -> None:
    with Renderer() as own:
        before = set(below(os.getpid()))
        expected = own.render("<p>Hi</p>").png
        drivers = [pid for pid in below(os.getpid()) if pid not in before and "playwright" in program(pid)]
        assert drivers
        for driver in drivers:
            os.kill(driver, signal.SIGKILL)
        time.sleep(0.5)
        page = own.render("<p>Hi</p>")
        assert (page.status, page.png) == ("ok", expected)


def test_memory_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    with Renderer(timeout_s=60) as own:
        good = own.render("<p>Hi</p>")
        looks: list[int] = []
        # Far too much at the first look, nothing afterwards, when the known-good page is rendered.
        monkeypatch.setattr(
            worker_module.watch, "tree_memory", lambda pid: looks.append(pid) or 2**40 * (len(looks) == 1)
        )
        bad = own.render("<div>" + "<p>x</p>" * 60_000 + "</div>")
        assert bad.status == "render_error"
        assert "MiB" in bad.versions["failure"]
        monkeypatch.undo()
        assert own.render("<p>Hi</p>").png == good.png


def test_if_nothing_renders_it_is_not_the_pages_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*arguments: object) -> object:
        raise worker_module.PageFailed("timeout", "the machine stands still")

    with Renderer() as own:
        own.render("<p>Hi</p>")
        monkeypatch.setattr(worker_module.Worker, "shot", lambda *a, **k: never())
        with pytest.raises(RendererError, match="known-good"):
            own.render("<p>Hi</p>")


def test_a_page_that_fails_once_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    real = worker_module.take_shot

    async def once(*arguments: object) -> object:
        calls.append(1)
        if len(calls) == 1:
            raise RuntimeError("the browser had a bad moment")
        return await real(*arguments)  # type: ignore[arg-type]

    with Renderer() as own:
        own.render("<p>Hi</p>")
        monkeypatch.setattr(worker_module, "take_shot", once)
        assert own.render("<p>Hi</p>").status == "ok"
        assert len(calls) == 2


def test_shared_renderers() -> None:
    first, second = shared_renderer(workers=1, timeout_s=7), shared_renderer(workers=1, timeout_s=7)
    other = shared_renderer(workers=1, timeout_s=8)
    assert first is second
    assert first is not other
    first.close()
    assert shared_renderer(workers=1, timeout_s=7) is not first
    close_all()


@needs_assets("tailwind-2")
def test_an_endless_stream_is_read_only_a_little_ahead(renderer: Renderer) -> None:
    read = []

    def stream():
        number = 0
        while True:
            read.append(number)
            yield tailwind_page(number % 3)
            number += 1

    results = renderer.render_many(stream())
    first = [next(results) for _ in range(3)]
    results.close()
    assert len(read) <= 3 + 2 * renderer.workers
    assert [page.html for page in first] == [tailwind_page(n) for n in range(3)]


@pytest.mark.parametrize(
    "options",
    [
        {"workers": 0},
        {"workers": 65},
        {"workers": 1.5},
        {"workers": True},
        {"isolate": "maybe"},
        {"viewport": (0, 720)},
        {"viewport": 1280},
        {"viewport": "1280x720"},
        {"viewport": (1280, 720, 1)},
        {"viewport": (1280.5, 720)},
        {"viewport": None},
        {"timeout_s": 0},
        {"timeout_s": "20"},
        {"timeout_s": float("nan")},
        {"timeout_s": float("inf")},
        {"timeout_s": None},
        {"max_memory_mb": "much"},
        {"max_html_bytes": -1},
        {"picture": "/no/such/picture.png"},
    ],
)
def test_options_that_make_no_sense(options: dict[str, object]) -> None:
    (name, value), *_ = options.items()
    with pytest.raises(ConfigurationError, match=f"^{re.escape(f'{name}={value}')}|^{re.escape(f'{name}={value!r}')}"):
        Renderer(**options)  # type: ignore[arg-type]


def test_a_page_is_text(renderer: Renderer) -> None:
    with pytest.raises(TypeError, match="bytes"):
        renderer.render(b"<p>Hi</p>")  # type: ignore[arg-type]


def test_a_browser_that_does_not_start_is_reported(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\necho 'error while loading shared libraries: libnss3.so' >&2\nexit 127\n")
    broken.chmod(0o755)
    monkeypatch.setattr(engine_module, "find_browser", lambda *a: broken)
    with Renderer(isolate=False) as own, pytest.raises(RendererError, match=r"libnss3\.so"):
        own.render("<p>Hi</p>")
