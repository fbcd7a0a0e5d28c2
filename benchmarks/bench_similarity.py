"""How fast pages are scored and compared: embeddings per second, layout pairs per second, comparison in milliseconds.

CLIP runs on random weights: the arithmetic is that of the published ones. Pictures are decoded and scaled inside of the
timing, as in a run. Measures whose packages are missing are left out and named.

Run it with ``python -m benchmarks.bench_similarity [--pages 30] [--json FILE]``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import time
from pathlib import Path
from typing import Any

from benchmarks.bench_rendering import sample_page
from colbench.errors import ConfigurationError
from colbench.frontend.comparison import differences, to_words
from colbench.frontend.page import RenderedPage
from colbench.frontend.renderer import Renderer
from colbench.frontend.similarity import Similarity, load_similarity

_BATCHES = (1, 16)


def random_clip(folder: Path, **options: Any) -> Similarity:
    """The measure ``clip`` on random weights, saved once in ``folder``."""
    import open_clip
    import torch

    file = folder / "random_clip.pt"
    if not file.is_file():
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            config = open_clip.get_model_config("ViT-B-32-quickgelu")
            config["text_cfg"] |= {"layers": 1, "width": 64, "heads": 1, "vocab_size": 100}
            torch.save(open_clip.CLIP(**config).state_dict(), file)
    return load_similarity("clip", weights=file, **options)


def embeddings_per_second(measure: Any, pages: list[RenderedPage], batch: int) -> float:
    """Pictures per second with ``batch`` pictures per call, best of three rounds."""
    from colbench.frontend.similarity.images import page_image

    measure.batch_size = batch
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        for first in range(0, len(pages), batch):
            images = [image for page in pages[first : first + batch] if (image := page_image(page)) is not None]
            measure.embed(images)
        best = min(best, time.perf_counter() - start)
    return len(pages) / best


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=32)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with Renderer() as renderer:
        pages = [renderer.render(sample_page(number)) for number in range(options.pages)]
    results: dict[str, float] = {}

    pairs = [(a, b) for a, b in itertools.permutations(pages, 2)][:400]
    layout = load_similarity("layout")
    start = time.perf_counter()
    layout.score(pairs)
    results["layout pairs/s"] = len(pairs) / (time.perf_counter() - start)
    times = []
    for ours, theirs in pairs:
        start = time.perf_counter()
        to_words(differences(ours, theirs))
        times.append(1000 * (time.perf_counter() - start))
    results["comparison ms, median"] = statistics.median(times)
    results["comparison ms, 95%"] = statistics.quantiles(times, n=20)[-1]

    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        builders = {"clip": lambda: random_clip(Path(folder)), "efficientnet": lambda: load_similarity("efficientnet")}
        for name, build in builders.items():
            try:
                measure = build()
            except (ConfigurationError, ImportError) as error:
                print(f"{name}: left out, {error}")
                continue
            for batch in _BATCHES:
                rate = embeddings_per_second(measure, pages, batch)
                results[f"{name} embeddings/s, batch {batch} ({measure.describe()['device']})"] = rate
    for name, value in results.items():
        print(f"{name:<48}{value:>10.1f}")
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
