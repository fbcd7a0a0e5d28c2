"""Scores of many episodes in few calls: whatever waits while one batch is being scored becomes the next batch.

Embedding sixteen pictures at once is several times cheaper than sixteen alone, and torch must not be called from a
dozen threads at a time. Episodes know nothing of each other, so the batching happens here, without waiting for more.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from colbench.errors import SimilarityError
from colbench.frontend.similarity import Similarity, load_similarity
from colbench.frontend.similarity.base import PagePair

__all__ = ["ScoreQueue", "shared_scores"]


class ScoreQueue:
    """Scores pages one batch after the other, in a thread of its own.

    Args:
        similarity: the measure.
    """

    def __init__(self, similarity: Similarity) -> None:
        self.similarity = similarity
        self._lock = threading.Lock()
        self._waiting: list[tuple[PagePair, Future[float]]] = []
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="colbench-score")

    def submit(self, pair: PagePair) -> Future[float]:
        """Ask for the score of one pair.

        Returns:
            a future of the score, or of the SimilarityError.
        """
        future: Future[float] = Future()
        with self._lock:
            self._waiting.append((pair, future))
        self._thread.submit(self._score_waiting)
        return future

    def _score_waiting(self) -> None:
        with self._lock:
            batch, self._waiting = self._waiting, []
        batch = [(pair, future) for pair, future in batch if future.set_running_or_notify_cancel()]
        if not batch:
            return
        try:
            self._answer(batch)
        except Exception:
            # One pair that cannot be scored must not take the others with it.
            for each in batch:
                try:
                    self._answer([each])
                except Exception as error:
                    each[1].set_exception(error)

    def _answer(self, batch: list[tuple[PagePair, Future[float]]]) -> None:
        scores = self.similarity.score([pair for pair, _ in batch])
        if len(scores) != len(batch):
            raise SimilarityError(
                f"measure '{self.similarity.name}' returned {len(scores)} scores for {len(batch)} pairs"
            )
        for (_, future), score in zip(batch, scores, strict=True):
            future.set_result(float(score))


_lock = threading.Lock()
_queues: dict[tuple[Any, ...], ScoreQueue] = {}


def shared_scores(similarity: str | Similarity, options: Mapping[str, Any] | None = None) -> ScoreQueue:
    """The process's queue for a measure, so that many environments load its weights once.

    Args:
        similarity: name of a measure, or one already built.
        options: of the measure.

    Raises:
        ConfigurationError: for an unknown name or option.
        MissingExtraError: if the measure needs an extra that is not installed.
        SimilarityError: if its weights are missing; the message lists the remedies.
    """
    options = dict(options or {})
    # A measure of the user's own is kept alive by its queue, so its id cannot be given to another object.
    name = similarity if isinstance(similarity, str) else id(similarity)
    key = (os.getpid(), name, *sorted((option, str(value)) for option, value in options.items()))
    with _lock:
        queue = _queues.get(key)
        if queue is None:
            queue = _queues[key] = ScoreQueue(load_similarity(similarity, **options))
        return queue
