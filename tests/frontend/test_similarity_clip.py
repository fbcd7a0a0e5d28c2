"""CLIP for real: the same random weights in open_clip and in transformers, and how weights are found."""

from __future__ import annotations

import copy
import io

import numpy as np
import pytest
from PIL import Image

from colbench.errors import SimilarityError
from colbench.frontend.page import RenderedPage
from colbench.frontend.similarity import load_similarity, score_pairs
from colbench.frontend.similarity.images import normalised, shortest_side_crop

torch = pytest.importorskip("torch")
open_clip = pytest.importorskip("open_clip")
transformers = pytest.importorskip("transformers")

from colbench.frontend.similarity import weights as weight_module  # noqa: E402
from colbench.frontend.similarity.clip import ClipSimilarity, ClipSquareSimilarity  # noqa: E402
from colbench.frontend.similarity.embedding import as_tensor  # noqa: E402
from colbench.frontend.similarity.weights import find_clip_weights, load_visual_state, state_hash  # noqa: E402

SIZES = [(1, 1), (3000, 200), (200, 3000), (1279, 721)]


def picture(size: tuple[int, int], seed: int = 0) -> Image.Image:
    coarse = np.random.default_rng(seed).integers(0, 256, (7, 9, 3), dtype=np.uint8)
    return Image.fromarray(coarse).resize(size, Image.Resampling.BICUBIC)


def page(image: Image.Image) -> RenderedPage:
    data = io.BytesIO()
    image.save(data, "PNG")
    return RenderedPage("<p></p>", "ok", data.getvalue(), *image.size)


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """On a busy machine threads that wait for each other take many times as long as one that does not."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def peer():
    """transformers' model at the real size of the image side, with a small text side, randomly initialised."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        text = {"vocab_size": 99, "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
        text |= {"num_attention_heads": 2, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
        return transformers.CLIPModel(transformers.CLIPConfig(text_config=text)).eval()


@pytest.fixture(scope="module")
def saved(peer, tmp_path_factory):
    folder = tmp_path_factory.mktemp("weights")
    peer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def measure(saved):
    return ClipSimilarity(saved / "model.safetensors", device="cpu")


def peer_embedding(peer, image: Image.Image) -> np.ndarray:
    pixels = transformers.CLIPImageProcessorPil()(images=image, return_tensors="pt")["pixel_values"]
    with torch.no_grad():
        return as_tensor(peer.get_image_features(pixel_values=pixels))[0].numpy()


@pytest.mark.parametrize("size", SIZES)
def test_preprocessing_is_bit_for_bit_that_of_transformers(size):
    image = picture(size)
    theirs = transformers.CLIPImageProcessorPil()(images=image, return_tensors="np")["pixel_values"][0]
    assert np.array_equal(normalised(shortest_side_crop(image)), theirs)


def test_embeddings_agree_with_transformers(peer, measure):
    images = [picture(size) for size in SIZES]
    for image, ours in zip(images, measure.embed(images), strict=True):
        assert np.abs(ours - peer_embedding(peer, image)).max() < 1e-5
        assert np.abs(ours).max() > 0.1


def test_open_clip_weights_agree_with_transformers_after_conversion_back(peer, measure, tmp_path):
    """Random open_clip weights, saved as open_clip saves them; copied into transformers' model one by one."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(11)
        config = open_clip.get_model_config("ViT-B-32-quickgelu")
        config["text_cfg"] = {"context_length": 8, "vocab_size": 50, "width": 16, "heads": 2, "layers": 1}
        original = open_clip.CLIP(**config).eval()
    file = tmp_path / "open_clip_pytorch_model.bin"
    torch.save({"state_dict": {f"module.{k}": v for k, v in original.state_dict().items()}}, file)
    ours = ClipSimilarity(file, device="cpu")

    model, visual = copy.deepcopy(peer), original.visual
    tower = model.vision_model
    with torch.no_grad():
        tower.embeddings.class_embedding.copy_(visual.class_embedding)
        tower.embeddings.position_embedding.weight.copy_(visual.positional_embedding)
        tower.embeddings.patch_embedding.weight.copy_(visual.conv1.weight)
        tower.pre_layrnorm.load_state_dict(visual.ln_pre.state_dict())
        tower.post_layernorm.load_state_dict(visual.ln_post.state_dict())
        model.visual_projection.weight.copy_(visual.proj.T)
        for theirs, block in zip(tower.encoder.layers, visual.transformer.resblocks, strict=True):
            theirs.layer_norm1.load_state_dict(block.ln_1.state_dict())
            theirs.layer_norm2.load_state_dict(block.ln_2.state_dict())
            theirs.mlp.fc1.load_state_dict(block.mlp.c_fc.state_dict())
            theirs.mlp.fc2.load_state_dict(block.mlp.c_proj.state_dict())
            theirs.self_attn.out_proj.load_state_dict(block.attn.out_proj.state_dict())
            for third, name in enumerate(("q_proj", "k_proj", "v_proj")):
                part = slice(third * 768, (third + 1) * 768)
                getattr(theirs.self_attn, name).weight.copy_(block.attn.in_proj_weight[part])
                getattr(theirs.self_attn, name).bias.copy_(block.attn.in_proj_bias[part])
    images = [picture(size, seed=3) for size in SIZES]
    for image, vector in zip(images, ours.embed(images), strict=True):
        assert np.abs(vector - peer_embedding(model, image)).max() < 1e-5
    assert ours.weight_hash != measure.weight_hash


def test_score_missing_page_and_self(measure):
    first, second = page(picture((1280, 720))), page(picture((1280, 2000), seed=5))
    own, cross, missing = measure.score([(first, first), (second, first), (None, first)])
    assert own == 1.0
    assert -1.0 <= cross < 1.0
    assert missing == measure.score([(page(Image.new("RGB", (224, 224))), first)])[0]
    assert [s.missing for s in score_pairs(measure, [(None, first)])] == [True]


def test_clip_square_sees_the_sidebar_and_gives_nothing_for_no_page(saved):
    from PIL import ImageDraw

    pages = []
    for color in ("#b91c1c", "#1e3a8a"):
        image = Image.new("RGB", (1280, 720), "white")
        ImageDraw.Draw(image).rectangle((0, 0, 255, 719), fill=color)
        pages.append(page(image))
    clip, square = ClipSimilarity(saved, device="cpu"), ClipSquareSimilarity(saved, device="cpu")
    assert clip.score([tuple(pages)])[0] == pytest.approx(1.0, abs=1e-6)
    assert square.score([tuple(pages)])[0] < 1 - 1e-4
    assert square.score([(None, pages[0])]) == [0.0]
    assert {clip.weight_hash} == {square.weight_hash}


def test_description_names_everything(measure):
    facts = measure.describe()
    assert facts["name"] == "clip" and facts["dtype"] == "float32" and facts["device"] == "cpu"
    assert len(facts["weight_hash"]) == 16 and "centre crop" in facts["preprocessing"]
    assert str(weight_module.cache_root()) not in str(facts)


def test_the_hash_is_the_same_for_every_file_format(saved, tmp_path):
    state = load_visual_state(saved / "model.safetensors")
    named = {f"visual.{key}": value for key, value in state.items()}
    torch.save(named, tmp_path / "plain.pt")
    assert state_hash(load_visual_state(tmp_path / "plain.pt")) == state_hash(state)


@pytest.mark.filterwarnings("ignore:.*torch.jit")
def test_the_original_archive_is_read(tmp_path):
    class Visual(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1 = torch.nn.Conv2d(3, 4, 2, bias=False)
            self.proj = torch.nn.Parameter(torch.randn(4, 2, generator=torch.Generator().manual_seed(0)))

        def forward(self, x):
            return self.conv1(x)

    class Archive(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.visual = Visual()

        def forward(self, x):
            return self.visual(x)

    torch.jit.save(torch.jit.trace(Archive().half().float(), torch.zeros(1, 3, 4, 4)), str(tmp_path / "ViT-B-32.pt"))
    state = load_visual_state(tmp_path / "ViT-B-32.pt")
    assert sorted(state) == ["conv1.weight", "proj"]


def test_files_that_are_no_clip_weights_are_named(tmp_path):
    torch.save({"fc.weight": torch.zeros(2, 2)}, tmp_path / "other.pt")
    with pytest.raises(SimilarityError, match=r"other\.pt holds no CLIP image encoder.*fc\.weight"):
        load_visual_state(tmp_path / "other.pt")
    (tmp_path / "text.safetensors").write_bytes(b"not weights")
    with pytest.raises(SimilarityError, match=r"text\.safetensors cannot be read"):
        load_visual_state(tmp_path / "text.safetensors")
    torch.save(
        {"visual.conv1.weight": torch.zeros(4, 3, 2, 2), "visual.proj": torch.zeros(4, 2)}, tmp_path / "small.pt"
    )
    with pytest.raises(SimilarityError, match="do not fit ViT-B-32-quickgelu"):
        ClipSimilarity(tmp_path / "small.pt", device="cpu")


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """No path, no variable, an empty cache, an empty hub cache."""
    from huggingface_hub import constants

    monkeypatch.delenv("COLBENCH_CLIP_WEIGHTS", raising=False)
    monkeypatch.setenv("COLBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def assert_remedies(message: str, folder) -> None:
    for remedy in (
        "weights='/path",
        "COLBENCH_CLIP_WEIGHTS=",
        str(folder / "cache" / "clip"),
        "hf download",
        "'layout'",
    ):
        assert remedy in message


def test_the_order_of_the_places(nowhere, monkeypatch):
    cache = nowhere / "cache" / "clip"
    cache.mkdir(parents=True)
    (cache / "ViT-B-32.pt").write_bytes(b"x")
    assert find_clip_weights() == (cache / "ViT-B-32.pt", "cache")
    named = nowhere / "model.safetensors"
    named.write_bytes(b"x")
    monkeypatch.setenv("COLBENCH_CLIP_WEIGHTS", str(nowhere))
    assert find_clip_weights() == (named, "environment")
    assert find_clip_weights(cache / "ViT-B-32.pt") == (cache / "ViT-B-32.pt", "path")
    with pytest.raises(SimilarityError, match="not there"):
        find_clip_weights(nowhere / "absent.pt")
    monkeypatch.setenv("COLBENCH_CLIP_WEIGHTS", str(nowhere / "cache"))
    with pytest.raises(SimilarityError, match=r"COLBENCH_CLIP_WEIGHTS=.*without a weight file"):
        find_clip_weights()


def test_offline_the_network_is_not_tried(nowhere, monkeypatch):
    def no_network(*args, **kwargs):
        raise AssertionError("the network was tried")

    monkeypatch.setattr("socket.getaddrinfo", no_network)
    monkeypatch.setattr("open_clip.pretrained.download_pretrained", no_network)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(SimilarityError, match="HF_HUB_OFFLINE is set") as caught:
        load_similarity("clip")
    assert_remedies(str(caught.value), nowhere)


def test_without_a_network_the_error_says_what_to_do(nowhere, monkeypatch):
    def unknown_host(*args, **kwargs):
        raise OSError("Name or service not known")

    monkeypatch.setattr("socket.getaddrinfo", unknown_host)
    with pytest.raises(SimilarityError, match="there is no network") as caught:
        load_similarity("clip")
    assert_remedies(str(caught.value), nowhere)


def test_what_the_hub_says_is_passed_on(nowhere, monkeypatch):
    def refused(*args, **kwargs):
        raise OSError("403 Forbidden")

    monkeypatch.setattr("socket.getaddrinfo", lambda *args, **kwargs: [])
    monkeypatch.setattr("open_clip.pretrained.download_pretrained", refused)
    with pytest.raises(SimilarityError, match="403 Forbidden") as caught:
        load_similarity("clip")
    assert_remedies(str(caught.value), nowhere)


@pytest.mark.network
def test_published_weights_give_the_published_embeddings():
    """The hub's weights through our path, against transformers' own copy of the same model."""
    ours = load_similarity("clip", device="cpu")
    model = transformers.CLIPModel.from_pretrained("openai/clip-vit-base-patch32").eval()
    images = [picture(size) for size in SIZES]
    for image, vector in zip(images, ours.embed(images), strict=True):
        assert np.abs(vector - peer_embedding(model, image)).max() < 1e-3
    white, black = (page(Image.new("RGB", (224, 224), color)) for color in ("white", "black"))
    # Floors of the published measure are far above 0: the reason why `colbench calibrate` exists.
    assert 0.3 < ours.score([(black, white)])[0] < 0.99
