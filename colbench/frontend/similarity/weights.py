"""Where CLIP's weights are looked for, and how the file formats they come in are made one.

The weights ship in no package, so a user may have them as OpenAI's original archive, as open_clip's file or as
transformers' directory. All three hold the same numbers; the hash is taken over the numbers, so it is the same for
all three.
"""

from __future__ import annotations

import hashlib
import os
import re
import socket
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from colbench.errors import MissingExtraError, SimilarityError
from colbench.frontend.assets import cache_root
from colbench.frontend.similarity.embedding import import_torch

__all__ = ["HUB_REPOSITORIES", "find_clip_weights", "load_visual_state", "state_hash"]

HUB_REPOSITORIES = ("timm/vit_base_patch32_clip_224.openai", "openai/clip-vit-base-patch32")
_FILES = (
    "open_clip_model.safetensors",
    "model.safetensors",
    "ViT-B-32.pt",
    "open_clip_pytorch_model.bin",
    "pytorch_model.bin",
)
_PREFIX = "visual."


def find_clip_weights(path: str | os.PathLike[str] | None = None) -> tuple[Path, str]:
    """Find the weights: the given path, ``COLBENCH_CLIP_WEIGHTS``, the suite's cache, the hub's cache, the hub.

    Args:
        path: a file, or a directory that holds one of the usual file names.

    Returns:
        the file, and which of the five places it came from.

    Raises:
        SimilarityError: if it is nowhere, or a named path holds none; the message lists the remedies. The network is
            not tried when ``HF_HUB_OFFLINE`` or ``TRANSFORMERS_OFFLINE`` is set.
    """
    if path is not None:
        return _within(Path(path).expanduser(), "weights="), "path"
    named = os.environ.get("COLBENCH_CLIP_WEIGHTS")
    if named:
        return _within(Path(named).expanduser(), "COLBENCH_CLIP_WEIGHTS="), "environment"
    for directory in (cache_root() / "clip", cache_root()):
        for name in _FILES:
            if (directory / name).is_file():
                return directory / name, "cache"
    cached = _from_hub_cache()
    if cached is not None:
        return cached, "hub cache"
    return _from_hub(), "hub"


def _within(path: Path, who: str) -> Path:
    if path.is_file():
        return path
    for name in _FILES:
        if (path / name).is_file():
            return path / name
    what = "a directory without a weight file in it" if path.is_dir() else "not there"
    raise SimilarityError(f"{who}{path} is {what}. Give a file, or a directory that holds one of: {', '.join(_FILES)}.")


def _remedies(tried: str) -> SimilarityError:
    return SimilarityError(
        f"CLIP's weights (ViT-B/32 of OpenAI) were not found. {tried}\n"
        "Do one of these:\n"
        "  1. give the file: load_similarity('clip', weights='/path/to/open_clip_model.safetensors')\n"
        "  2. set COLBENCH_CLIP_WEIGHTS=/path/to/the/file/or/directory\n"
        f"  3. put the file (named {' or '.join(_FILES[:3])}) into {cache_root() / 'clip'}\n"
        "  4. with a network: unset HF_HUB_OFFLINE and try again, or on another machine run\n"
        f"     hf download {HUB_REPOSITORIES[0]} open_clip_model.safetensors\n"
        "     and copy the file here\n"
        "  5. use a measure that needs no download: similarity='layout' (no torch) or 'efficientnet'"
    )


def _from_hub_cache() -> Path | None:
    try:
        from huggingface_hub import try_to_load_from_cache
    except ImportError:
        return None
    for repository in HUB_REPOSITORIES:
        for name in _FILES:
            found = try_to_load_from_cache(repository, name)
            if isinstance(found, str) and Path(found).is_file():
                return Path(found)
    return None


def _is_set(name: str) -> bool:
    return os.environ.get(name, "").strip().lower() in {"1", "true", "yes", "on"}


def _hub_host_unknown() -> str | None:
    """The hub's host if its name cannot be resolved; the hub's client would retry for most of a minute first."""
    if any(os.environ.get(name) for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")):
        return None
    host = urlsplit(os.environ.get("HF_ENDPOINT") or "https://huggingface.co").hostname or ""
    try:
        socket.getaddrinfo(host, 443)
    except OSError:
        return host
    return None


def _from_hub() -> Path:
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        if _is_set(name):
            raise _remedies(f"Path, cache and hub cache hold none, and {name} is set, so the hub was not asked.")
    try:
        from open_clip.pretrained import download_pretrained, get_pretrained_cfg
    except ImportError as error:
        raise MissingExtraError("similarity='clip'", "clip") from error
    host = _hub_host_unknown()
    if host is not None:
        raise _remedies(f"Path, cache and hub cache hold none, and there is no network: '{host}' is unknown.")
    try:
        found = download_pretrained(get_pretrained_cfg("ViT-B-32-quickgelu", "openai"))
    except Exception as error:
        raise _remedies(
            f"Path, cache and hub cache hold none; the hub said: {type(error).__name__}: {error}"
        ) from error
    return Path(found)


def load_visual_state(path: Path) -> dict[str, Any]:
    """The image encoder's tensors under open_clip's names without the ``visual.`` prefix, in float32.

    Reads safetensors, a pickled state dict (weights only), and OpenAI's TorchScript archive; names of OpenAI,
    open_clip and transformers.

    Raises:
        SimilarityError: if the file cannot be read or holds no CLIP image encoder.
    """
    try:
        raw = _read(path)
    except Exception as error:
        raise SimilarityError(f"the weight file {path} cannot be read: {type(error).__name__}: {error}") from error
    state = _from_transformers(raw) if any(".vision_model." in f".{key}" for key in raw) else _from_open_clip(raw)
    if "conv1.weight" not in state or "proj" not in state:
        some = ", ".join(list(raw)[:4])
        raise SimilarityError(f"the weight file {path} holds no CLIP image encoder; its tensors begin with: {some}")
    return {key: value.float() for key, value in sorted(state.items())}


def _read(path: Path) -> dict[str, Any]:
    if path.suffix == ".safetensors":
        from safetensors.torch import load_file

        return dict(load_file(str(path)))
    torch = import_torch("similarity='clip'")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            loaded = torch.load(path, map_location="cpu", weights_only=True)
        except Exception:
            # OpenAI published the weights as a TorchScript archive, which torch.load refuses in weights-only mode.
            loaded = torch.jit.load(str(path), map_location="cpu").state_dict()
    if isinstance(loaded, Mapping) and isinstance(loaded.get("state_dict"), Mapping):
        loaded = loaded["state_dict"]
    if not isinstance(loaded, Mapping):
        raise TypeError(f"it holds a {type(loaded).__name__} instead of named tensors")
    return {re.sub(r"^module\.", "", str(key)): value for key, value in loaded.items() if hasattr(value, "shape")}


def _from_open_clip(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {key[len(_PREFIX) :]: value for key, value in raw.items() if key.startswith(_PREFIX)}


_RENAMES = (
    (r"^embeddings\.class_embedding$", "class_embedding"),
    (r"^embeddings\.position_embedding\.weight$", "positional_embedding"),
    (r"^embeddings\.patch_embedding\.weight$", "conv1.weight"),
    # The misspelling is transformers' own.
    (r"^pre_layrnorm\.", "ln_pre."),
    (r"^post_layernorm\.", "ln_post."),
    (r"^encoder\.layers\.(\d+)\.layer_norm([12])\.", r"transformer.resblocks.\1.ln_\2."),
    (r"^encoder\.layers\.(\d+)\.mlp\.fc1\.", r"transformer.resblocks.\1.mlp.c_fc."),
    (r"^encoder\.layers\.(\d+)\.mlp\.fc2\.", r"transformer.resblocks.\1.mlp.c_proj."),
    (r"^encoder\.layers\.(\d+)\.self_attn\.out_proj\.", r"transformer.resblocks.\1.attn.out_proj."),
)
_QKV = re.compile(r"^encoder\.layers\.(\d+)\.self_attn\.([qkv])_proj\.(weight|bias)$")


def _from_transformers(raw: Mapping[str, Any]) -> dict[str, Any]:
    torch = import_torch("similarity='clip'")
    state: dict[str, Any] = {}
    parts: dict[str, dict[str, Any]] = {}
    for full, value in raw.items():
        if full.endswith("visual_projection.weight"):
            state["proj"] = value.t().contiguous()
        if "vision_model." not in full or full.endswith("position_ids"):
            continue
        key = full.split("vision_model.", 1)[1]
        part = _QKV.match(key)
        if part:
            # One matrix for query, key and value together, in that order.
            parts.setdefault(f"transformer.resblocks.{part[1]}.attn.in_proj_{part[3]}", {})[part[2]] = value
            continue
        for pattern, name in _RENAMES:
            key, changed = re.subn(pattern, name, key)
            if changed:
                break
        state[key] = value
    for key, three in parts.items():
        state[key] = torch.cat([three[letter] for letter in "qkv"], dim=0)
    return state


def state_hash(state: Mapping[str, Any]) -> str:
    """First 16 hex digits of the SHA-256 over names, shapes and float32 values, in order of the names."""
    digest = hashlib.sha256()
    for key in sorted(state):
        values = state[key].detach().cpu().float().contiguous().numpy()
        digest.update(f"{key}:{values.shape}\n".encode())
        digest.update(values.tobytes())
    return digest.hexdigest()[:16]
