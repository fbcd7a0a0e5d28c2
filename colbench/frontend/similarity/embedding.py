"""What all measures that embed a picture share: batching, a memory of embeddings, safe device and dtype, cosine.

The reference of a task is embedded once, however many turns and repeats are scored against it, and a picture is
recognised by its content hash, so a page against itself is the same vector and scores exactly 1.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from importlib import metadata
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from colbench.errors import ConfigurationError, MissingExtraError, SimilarityError
from colbench.frontend.page import RenderedPage
from colbench.frontend.similarity.base import PagePair, is_missing
from colbench.frontend.similarity.images import page_image

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["EmbeddingSimilarity", "as_tensor", "choose_device", "choose_dtype", "cosine", "import_torch"]

Vector = NDArray[np.float64]
_DTYPES = ("float32", "float16", "bfloat16")


def import_torch(what: str) -> Any:
    """Import torch.

    Raises:
        MissingExtraError: if it is not installed; ``what`` says who asked.
    """
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError(what, "clip") from error
    return torch


def choose_device(torch: Any, device: str | None) -> str:
    """The asked device, or a CUDA device where there is one, else the CPU.

    Raises:
        ConfigurationError: if the device is asked for by name and is not there.
    """
    if device in (None, "auto"):
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ConfigurationError(f"device '{device}' cannot be used: {error}. Choose 'cpu' or leave it out.") from error
    return str(device)


def choose_dtype(device: str, dtype: str | None) -> str:
    """float32 unless asked otherwise; half precision only where the device computes in it.

    Args:
        device: as :func:`choose_device` gave it.
        dtype: ``float32``, ``float16``, ``bfloat16`` or None.

    Returns:
        the dtype in use: on a CPU always ``float32``.
    """
    if dtype in (None, "auto"):
        return "float32"
    if dtype not in _DTYPES:
        raise ConfigurationError(f"dtype '{dtype}' is not one of {', '.join(_DTYPES)}")
    return "float32" if device.split(":")[0] == "cpu" else dtype


def as_tensor(output: Any) -> Any:
    """The embedding tensor of an encoder's output.

    Image encoders return a tensor, a tuple that begins with one, or (transformers 5) an output object whose
    ``image_embeds`` or ``pooler_output`` is the embedding.

    Returns:
        tensor of shape (batch, features).

    Raises:
        SimilarityError: if there is no such tensor in it.
    """
    found = output
    for name in ("image_embeds", "pooler_output"):
        if getattr(output, name, None) is not None:
            found = getattr(output, name)
            break
    else:
        if isinstance(output, tuple | list) and output:
            found = output[0]
    if getattr(found, "ndim", None) != 2:
        raise SimilarityError(
            f"an image encoder must return a (batch, features) tensor or an output object that holds one; "
            f"this one returned {type(output).__name__}"
        )
    return found


def cosine(first: Vector, second: Vector) -> float:
    """Cosine of two vectors in double precision, whatever their lengths; exactly 1 for equal ones.

    Raises:
        SimilarityError: for a vector of length 0 or with a value that is not finite.
    """
    lengths = [float(np.linalg.norm(v)) for v in (first, second)]
    if not all(np.isfinite(length) and length > 0 for length in lengths):
        raise SimilarityError(f"an embedding has length {lengths[0]} or {lengths[1]}: check the weights and the dtype")
    if np.array_equal(first, second):
        return 1.0
    return float(np.clip(np.dot(first / lengths[0], second / lengths[1]), -1.0, 1.0))


class EmbeddingSimilarity:
    """Cosine of two pictures' embeddings.

    A subclass sets the class attributes and gives ``prepare`` and the encoder.

    Args:
        encoder: takes a float tensor (batch, 3, 224, 224) on ``device`` and returns what :func:`as_tensor` accepts.
        device: where it computes.
        dtype: in what it computes.
        weight_hash: of the encoder's weights.
        source: where the weights came from, for people.
        batch_size: pictures per call of the encoder.
        cache_size: embeddings kept, newest use last out.
    """

    name: str
    version: ClassVar[int]
    preprocessing: ClassVar[str]
    architecture: ClassVar[str]
    missing_page: ClassVar[str]
    libraries: ClassVar[tuple[str, ...]] = ("torch", "pillow")

    def __init__(
        self,
        encoder: Callable[[Any], Any],
        *,
        device: str,
        dtype: str,
        weight_hash: str,
        source: str,
        batch_size: int = 16,
        cache_size: int = 4096,
    ) -> None:
        if batch_size < 1 or cache_size < 0:
            raise ConfigurationError(f"batch_size={batch_size} must be at least 1, cache_size={cache_size} at least 0")
        self._torch = import_torch(f"similarity='{self.name}'")
        self._encoder = encoder
        self.device = device
        self.dtype = dtype
        self.weight_hash = weight_hash
        self.source = source
        self.batch_size = batch_size
        self.cache_size = cache_size
        self._cache: OrderedDict[str, Vector] = OrderedDict()
        self._lock = threading.Lock()

    def prepare(self, image: Image) -> NDArray[np.float32]:
        """One RGB picture as the encoder wants it: float32 (3, 224, 224)."""
        raise NotImplementedError

    def placeholder(self) -> Image | None:
        """The picture that stands for a missing page, or None where a missing page scores 0."""
        return None

    def embed(self, images: Sequence[Image]) -> list[Vector]:
        """Embed pictures in batches, without the memory.

        Args:
            images: RGB, any sizes, any number.

        Returns:
            one double-precision vector per picture, as the encoder gave it (not normalised).
        """
        torch, vectors = self._torch, []
        for start in range(0, len(images), self.batch_size):
            batch = np.stack([self.prepare(image) for image in images[start : start + self.batch_size]])
            with torch.inference_mode():
                tensor = torch.from_numpy(batch).to(device=self.device, dtype=getattr(torch, self.dtype))
                rows = as_tensor(self._encoder(tensor)).float().cpu().numpy()
            if len(rows) != len(batch):
                raise SimilarityError(f"the encoder of '{self.name}' returned {len(rows)} rows for {len(batch)} images")
            vectors.extend(rows.astype(np.float64))
        return vectors

    def _vectors(self, pages: Sequence[RenderedPage | None]) -> dict[str, Vector]:
        wanted: dict[str, RenderedPage | None] = {}
        for page in pages:
            wanted.setdefault(_key(page), None if is_missing(page) else page)
        with self._lock:
            known = {key: self._cache[key] for key in wanted if key in self._cache}
            for key in known:
                self._cache.move_to_end(key)
        new = [key for key in wanted if key not in known]
        # Decoded batch by batch: a thousand full-page screenshots at once would not fit in memory.
        for start in range(0, len(new), self.batch_size):
            part = new[start : start + self.batch_size]
            pictures = [page_image(wanted[key]) or self.placeholder() for key in part]
            seen = [(key, picture) for key, picture in zip(part, pictures, strict=True) if picture is not None]
            known.update(zip((key for key, _ in seen), self.embed([picture for _, picture in seen]), strict=True))
        with self._lock:
            self._cache.update((key, known[key]) for key in new if key in known)
            while len(self._cache) > self.cache_size:
                self._cache.popitem(last=False)
        return known

    def score(self, pages: Sequence[PagePair]) -> list[float]:
        """Cosine of each pair, in -1..1; see :class:`colbench.frontend.similarity.base.Similarity`."""
        for index, (_, reference) in enumerate(pages):
            if is_missing(reference):
                raise SimilarityError(
                    f"the reference of pair {index} has no picture (status {reference.status}): render it again"
                )
        pairs = [pair for pair in pages if self.placeholder() is not None or not is_missing(pair[0])]
        vectors = self._vectors([page for pair in pairs for page in pair])
        return [
            cosine(vectors[_key(page)], vectors[_key(reference)]) if _key(page) in vectors else 0.0
            for page, reference in pages
        ]

    def describe(self) -> dict[str, Any]:
        """JSON facts that identify the measure."""
        return {
            "name": self.name,
            "version": self.version,
            "architecture": self.architecture,
            "weight_hash": self.weight_hash,
            "preprocessing": self.preprocessing,
            "missing_page": self.missing_page,
            "range": [-1.0, 1.0],
            "dtype": self.dtype,
            "device": self.device,
            "source": self.source,
            "libraries": {name: _version(name) for name in self.libraries},
        }


def _key(page: RenderedPage | None) -> str:
    return "missing" if page is None or page.png is None else str(page.png_hash)


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "unknown"
