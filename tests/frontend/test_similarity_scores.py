"""Measures as a whole: batching, missing pages, scale, names; with a small encoder instead of a network."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from colbench.errors import ConfigurationError, MissingExtraError, SimilarityError
from colbench.frontend.page import RenderedPage
from colbench.frontend.similarity import (
    MEASURES,
    Similarity,
    SimilarityScore,
    load_similarity,
    mean_similarity,
    measure_hash,
    score_pairs,
)

torch = pytest.importorskip("torch")

from colbench.frontend.similarity import embedding  # noqa: E402
from colbench.frontend.similarity.embedding import EmbeddingSimilarity, as_tensor, choose_dtype, cosine  # noqa: E402
from colbench.frontend.similarity.images import normalised, squeezed  # noqa: E402


def page(color: tuple[int, int, int], size: tuple[int, int] = (64, 36), html: str | None = None) -> RenderedPage:
    data = io.BytesIO()
    Image.new("RGB", size, color).save(data, "PNG")
    return RenderedPage(html or f"<p>{color}</p>", "ok", data.getvalue(), *size)


class Small(EmbeddingSimilarity):
    """Mean colour per quarter of the page, times a factor."""

    name = "small"
    version = 1
    architecture = "quarters"
    preprocessing = "squeezed"
    missing_page = "score 0"

    def __init__(self, factor: float = 1.0, **options: object) -> None:
        self.calls: list[int] = []
        self.factors = factor

        def encode(batch):  # type: ignore[no-untyped-def]
            self.calls.append(len(batch))
            self.seen = batch
            return torch.nn.functional.adaptive_avg_pool2d(batch, 2).flatten(1) * self.factors

        super().__init__(encode, device="cpu", dtype="float32", weight_hash="0" * 16, source="test", **options)  # type: ignore[arg-type]

    def prepare(self, image: Image.Image) -> np.ndarray:
        return normalised(squeezed(image))


class SmallWithBlack(Small):
    missing_page = "black"

    def placeholder(self) -> Image.Image:
        return Image.new("RGB", (224, 224))


COLORS = [(i * 2 % 256, i * 5 % 256, i * 11 % 256) for i in range(101)]


def test_a_page_against_itself_is_exactly_one():
    pages = [page(color) for color in COLORS[:20]]
    assert Small().score([(p, p) for p in pages]) == [1.0] * 20


@pytest.mark.parametrize("batch_size", [1, 16, 100, 1000])
def test_any_number_of_pairs_in_any_batch_size(batch_size):
    pages = [page(color) for color in COLORS]
    measure = Small(batch_size=batch_size)
    scores = measure.score([(p, pages[0]) for p in pages])
    assert len(scores) == 101
    assert scores[0] == 1.0
    assert max(measure.calls) <= batch_size
    assert sum(measure.calls) == len({p.png_hash for p in pages})
    assert scores == pytest.approx(Small().score([(p, pages[0]) for p in pages]), abs=1e-6)
    assert measure.score([]) == []


def test_the_reference_is_embedded_once():
    measure = Small()
    reference = page((1, 2, 3))
    for color in COLORS[:5]:
        measure.score([(page(color), reference)])
    assert sum(measure.calls) == 6
    forgetful = Small(cache_size=0)
    forgetful.score([(reference, reference)])
    forgetful.score([(reference, reference)])
    assert sum(forgetful.calls) == 2


def test_a_missing_answer_is_reported_as_missing():
    reference = page((200, 10, 10))
    without_picture = RenderedPage("no page here", "no_html")
    pairs = [(page((200, 10, 10)), reference), (None, reference), (without_picture, reference)]
    assert Small().score(pairs) == [1.0, 0.0, 0.0]
    scores = score_pairs(Small(), pairs)
    assert [s.missing for s in scores] == [False, True, True]
    black = SmallWithBlack().score(pairs)
    assert black[1] == black[2] == SmallWithBlack().score([(page((0, 0, 0)), reference)])[0]


def test_a_reference_without_a_picture_is_an_error():
    with pytest.raises(SimilarityError, match="reference of pair 1"):
        Small().score([(None, page((1, 1, 1))), (page((1, 1, 1)), RenderedPage("", "render_error"))])


def test_features_ten_times_as_long_score_the_same():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=512), rng.normal(size=512)
    assert cosine(10 * a, b) == pytest.approx(cosine(a, b), abs=1e-12)
    assert cosine(a, 10 * a) == pytest.approx(1.0, abs=1e-12)
    assert cosine(a, a.copy()) == 1.0
    first, second = page((10, 80, 30)), page((99, 1, 255))
    expected = Small().score([(first, second)])
    measure = Small()
    measure.score([(second, second)])
    measure.factors = 10.0
    assert measure.score([(first, second)]) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("bad", [np.zeros(4), np.array([np.nan, 1, 1, 1]), np.array([np.inf, 1, 1, 1])])
def test_an_embedding_without_direction_is_an_error(bad):
    with pytest.raises(SimilarityError, match="embedding has length"):
        cosine(bad, np.ones(4))


def test_output_objects_are_unwrapped():
    class Output:
        last_hidden_state = torch.zeros(2, 50, 8)
        pooler_output = torch.ones(2, 8)

    rows = torch.ones(2, 8)
    assert torch.equal(as_tensor(rows), rows)
    assert torch.equal(as_tensor(Output()), rows)
    assert torch.equal(as_tensor((rows, None)), rows)
    with pytest.raises(SimilarityError, match="returned dict"):
        as_tensor({})


def test_half_precision_on_a_cpu_becomes_float32():
    assert choose_dtype("cpu", "float16") == "float32"
    assert choose_dtype("cuda:0", "float16") == "float16"
    assert choose_dtype("cuda:0", None) == "float32"
    with pytest.raises(ConfigurationError, match="float8"):
        choose_dtype("cpu", "float8")


def test_an_absent_device_is_named():
    absent = "cuda:63"
    with pytest.raises(ConfigurationError, match=absent):
        embedding.choose_device(torch, absent)


def test_scores_of_different_measures_are_never_averaged():
    reference = page((5, 5, 5))
    ours = score_pairs(Small(), [(reference, reference)])
    other = score_pairs(SmallWithBlack(), [(reference, reference)])
    assert mean_similarity(ours * 3) == 1.0
    with pytest.raises(ConfigurationError, match="cannot be averaged"):
        mean_similarity(ours + other)
    with pytest.raises(ConfigurationError, match="no score"):
        mean_similarity([])
    assert isinstance(ours[0], SimilarityScore) and ours[0].measure == "small"


def test_the_hash_of_a_measure_ignores_where_it_runs():
    measure = Small()
    before = measure_hash(measure)
    measure.device, measure.source = "cuda:0", "hub"
    assert measure_hash(measure) == before
    measure.weight_hash = "1" * 16
    assert measure_hash(measure) != before


def test_names_and_options_are_checked():
    with pytest.raises(ConfigurationError, match="clip, clip_square, layout, efficientnet"):
        load_similarity("ssim")
    with pytest.raises(ConfigurationError, match="colour"):
        load_similarity("layout", colour=True)
    with pytest.raises(ConfigurationError, match="batch_size=0"):
        Small(batch_size=0)
    measure = Small()
    assert load_similarity(measure) is measure
    assert isinstance(measure, Similarity)
    assert set(MEASURES) == {"clip", "clip_square", "layout", "efficientnet"}


def test_an_unreadable_picture_is_named():
    broken = RenderedPage("<p>x</p>", "ok", b"\x89PNG broken", 10, 10)
    with pytest.raises(SimilarityError, match="cannot be read"):
        Small().score([(broken, page((1, 1, 1)))])


def test_without_torch_the_extra_is_named(monkeypatch):
    import builtins

    real = builtins.__import__

    def no_torch(name, *args, **kwargs):
        if name == "torch" or name.startswith("torch."):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", no_torch)
    with pytest.raises(MissingExtraError, match=r"pip install 'colbench\[clip\]'"):
        load_similarity("clip")
    with pytest.raises(MissingExtraError, match=r"colbench\[clip\]"):
        load_similarity("efficientnet")
