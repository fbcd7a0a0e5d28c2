"""A model in this process, through transformers: requests of concurrent episodes share forward passes.

Requests go into a queue; a thread takes what is there, up to a batch, and generates for all of them at once. The thread
belongs to no event loop, so an environment and a rollout may share one model.
"""

from __future__ import annotations

import asyncio
import importlib.util
import queue
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from colbench.chat.checkpoints import find_checkpoint
from colbench.chat.empty import ask_until_text
from colbench.chat.errors import ChatContextError, ChatServerError
from colbench.chat.messages import Message, flatten, fold_roles
from colbench.chat.reply import ChatReply
from colbench.chat.sampling import RowSampling, SeededSampler
from colbench.chat.thoughts import without_thoughts
from colbench.errors import ConfigurationError, MissingExtraError
from colbench.seeding import derive_seed
from colbench.usage import Usage

__all__ = ["LocalModel"]

_EXTRA = "smollm2"


@dataclass
class _Request:
    messages: list[Message]
    sampling: RowSampling
    done: Future[ChatReply] = field(default_factory=Future)


class LocalModel:
    """A checkpoint loaded by transformers on first use.

    Equal seeds give equal noise whatever shares the batch. Batches of other sizes can still differ in the last bits of
    the probabilities; ``max_batch=1`` rules that out.

    Args:
        model: a folder, a ``.gguf`` file, a name on the hub, or ``"smollm2"``.
        gguf_file: name of a GGUF file in the folder.
        temperature: 0 takes the likeliest token.
        top_p: 1 keeps all tokens.
        max_tokens: most tokens of a reply.
        max_batch: requests per forward pass at most.
        batch_wait: seconds to wait for further requests before a batch starts.
        device: for example ``"cuda"``; None takes a GPU if there is one.
        dtype: for example ``"bfloat16"``; None takes bfloat16 on a GPU and float32 on a CPU.
        threads: CPU threads; None leaves it to torch.

    Raises:
        ConfigurationError: for a bad value, or files that are not there.
        MissingExtraError: torch or transformers is missing.
    """

    def __init__(
        self,
        model: str,
        *,
        gguf_file: str | None = None,
        temperature: float = 1.0,
        top_p: float = 1.0,
        max_tokens: int = 512,
        max_batch: int = 16,
        batch_wait: float = 0.02,
        device: str | None = None,
        dtype: str | None = None,
        threads: int | None = None,
    ) -> None:
        for name, whole in (("max_tokens", max_tokens), ("max_batch", max_batch)):
            if isinstance(whole, bool) or not isinstance(whole, int) or whole < 1:
                raise ConfigurationError(f"{name} must be a whole number of at least 1, actually: {whole!r}")
        if temperature < 0 or not 0 < top_p <= 1 or batch_wait < 0:
            raise ConfigurationError("temperature and batch_wait must be at least 0, and top_p in (0, 1]")
        # Looked for, not imported: importing takes seconds, and only a run that plays needs it.
        if any(importlib.util.find_spec(name) is None for name in ("torch", "transformers")):
            raise MissingExtraError("a local transformers model", _EXTRA)
        self.checkpoint = find_checkpoint(str(model), gguf_file)
        self.temperature, self.top_p, self.max_tokens = float(temperature), float(top_p), max_tokens
        self._max_batch, self._batch_wait = max_batch, batch_wait
        self._device, self._dtype, self._threads = device, dtype, threads
        self._queue: queue.SimpleQueue[_Request] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loaded: tuple[Any, Any] | None = None
        self._folds_roles = False
        self.batches = 0

    def describe(self) -> dict[str, Any]:
        """JSON facts that can change a reply."""
        return {
            "model": self.checkpoint.identity,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
            **({"dtype": self._dtype} if self._dtype else {}),
        }

    async def complete(self, messages: Sequence[Message], *, seed: int, sample: int = 0) -> ChatReply:
        """Ask for one reply; see :meth:`colbench.chat.ChatClient.complete`."""

        async def once(shown: Sequence[Message], max_tokens: int, again: int) -> ChatReply:
            sampling = RowSampling(derive_seed(seed, "local", again), self.temperature, self.top_p, max_tokens)
            request = _Request(flatten(shown), sampling)
            self._queue.put(request)
            self._start()
            return await asyncio.wrap_future(request.done)

        return await ask_until_text(once, messages, self.max_tokens)

    async def aclose(self) -> None:
        """Nothing to close: the model stays loaded for the next run of this process."""

    def _start(self) -> None:
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._serve, name="colbench-model", daemon=True)
                self._thread.start()

    def _serve(self) -> None:
        while True:
            batch = self._gather()
            # A caller that was cancelled waits for nothing.
            batch = [request for request in batch if request.done.set_running_or_notify_cancel()]
            if not batch:
                continue
            try:
                self._generate(batch)
            except BaseException as problem:
                shown = problem if isinstance(problem, ConfigurationError) else None
                for request in batch:
                    if not request.done.done():
                        error = shown or ChatServerError(f"local model failed: {type(problem).__name__}: {problem}")
                        request.done.set_exception(error)

    def _gather(self) -> list[_Request]:
        batch = [self._queue.get()]
        deadline = time.monotonic() + self._batch_wait
        while len(batch) < self._max_batch:
            try:
                batch.append(self._queue.get(timeout=max(0.0, deadline - time.monotonic())))
            except queue.Empty:
                break
        return batch

    def load(self) -> tuple[Any, Any]:
        """Tokenizer and model, loaded once.

        Raises:
            ConfigurationError: transformers cannot load the checkpoint.
        """
        if self._loaded is None:
            import torch
            from transformers import AutoModelForCausalLM, AutoTokenizer

            if self._threads:
                torch.set_num_threads(self._threads)
            device = self._device or ("cuda" if torch.cuda.is_available() else "cpu")
            dtype = self._dtype or ("bfloat16" if device.startswith("cuda") else "float32")
            place, gguf = self.checkpoint.place, self.checkpoint.gguf_file
            extra = {"gguf_file": gguf} if gguf else {}
            try:
                tokenizer = AutoTokenizer.from_pretrained(place, padding_side="left", **extra)
                model = AutoModelForCausalLM.from_pretrained(place, dtype=getattr(torch, dtype), **extra)
            except (OSError, ValueError, ImportError, AttributeError) as problem:
                raise ConfigurationError(f"model {place!r} cannot be loaded: {problem}") from problem
            if tokenizer.chat_template is None:
                raise ConfigurationError(f"model {place!r} has no chat template; take an instruction-tuned checkpoint")
            if tokenizer.pad_token_id is None:
                tokenizer.pad_token = tokenizer.eos_token
            on_device: Any = model
            self._loaded = (tokenizer, on_device.to(device).eval())
        return self._loaded

    def _generate(self, batch: list[_Request]) -> None:
        """Generate for all requests at once and hand the replies out."""
        import torch

        tokenizer, model = self.load()
        room = getattr(model.config, "max_position_embeddings", None) or 1 << 30
        ready, prompts = [], []
        for request in batch:
            ids = tokenizer(self._text(tokenizer, request.messages), add_special_tokens=False)["input_ids"]
            if len(ids) + request.sampling.max_tokens > room:
                wanted = f"{len(ids)} tokens and {request.sampling.max_tokens} for the reply"
                request.done.set_exception(ChatContextError(f"the prompt of {wanted} exceeds the context of {room}"))
            else:
                ready.append(request)
                prompts.append(ids)
        if not ready:
            return
        inputs = tokenizer.pad({"input_ids": prompts}, return_tensors="pt").to(model.device)
        ends = model.generation_config.eos_token_id
        ends = set(ends if isinstance(ends, list) else [ends if ends is not None else tokenizer.eos_token_id])
        sampler = SeededSampler([request.sampling for request in ready], min(ends))
        with torch.inference_mode():
            out = model.generate(
                **inputs,
                do_sample=False,
                # What a checkpoint's own defaults say about sampling is the sampler's business.
                temperature=None,
                top_p=None,
                top_k=None,
                max_new_tokens=max(request.sampling.max_tokens for request in ready),
                logits_processor=[sampler],
                pad_token_id=tokenizer.pad_token_id,
            )
        self.batches += 1
        for i, request in enumerate(ready):
            ids = out[i, inputs["input_ids"].shape[1] :].tolist()
            logprobs = [float(step[i]) for step in sampler.logprobs[: len(ids)]]
            request.done.set_result(_reply(tokenizer, ids, logprobs, ends, request.sampling, len(prompts[i])))

    def _text(self, tokenizer: Any, messages: list[Message]) -> str:
        from jinja2.exceptions import TemplateError

        shown = fold_roles(messages) if self._folds_roles else messages
        try:
            return str(tokenizer.apply_chat_template(shown, tokenize=False, add_generation_prompt=True))
        except TemplateError:
            if self._folds_roles:
                raise
            self._folds_roles = True
            return self._text(tokenizer, messages)


def _reply(
    tokenizer: Any, ids: list[int], logprobs: list[float], ends: set[int], sampling: RowSampling, prompt_tokens: int
) -> ChatReply:
    """The reply of one row: up to and with its first end token, or as many tokens as it may have."""
    stop = next((n for n, token in enumerate(ids) if token in ends), len(ids))
    finished = stop < min(len(ids), sampling.max_tokens)
    kept = ids[: stop + 1] if finished else ids[: min(stop, sampling.max_tokens)]
    text, removed = without_thoughts(tokenizer.decode(kept, skip_special_tokens=True))
    return ChatReply(
        text=text.strip(),
        finish_reason="stop" if finished else "length",
        usage=Usage(1, prompt_tokens, len(kept)),
        token_ids=tuple(kept),
        logprobs=tuple(logprobs[: len(kept)]),
        meta={"reasoning": True} if removed else {},
    )
