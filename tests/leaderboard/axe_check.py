"""The accessibility checker axe-core, fetched once into the cache where the pages' stylesheets lie too."""

import hashlib

import pytest

from colbench.frontend.assets import Asset, _fetch, assets_dir
from colbench.jsonl import atomic_write

AXE = Asset(
    name="axe",
    filename="axe-core-4.10.3.min.js",
    sha256="880970c081707360e64f34cea25ff91892f5bc95675b0776925b9709dd8a68bb",
    package="axe-core@4.10.3",
    member="package/axe.min.js",
    url="https://cdn.jsdelivr.net/npm/axe-core@4.10.3/axe.min.js",
)


def axe_source():
    path = assets_dir() / AXE.filename
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != AXE.sha256:
        data, _, tried = _fetch(AXE)
        if data is None:
            pytest.skip(f"axe-core is neither in the cache nor to be had: {'; '.join(tried)}")
        atomic_write(path, data)
    return path.read_text()


def serious(page, source):
    """The serious and critical findings on a page, as text."""
    page.evaluate(source)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(r => r.violations)")
    return [
        f"{v['id']}: {v['help']}: {v['nodes'][0]['html'][:150]}"
        for v in found
        if v["impact"] in ("serious", "critical")
    ]
