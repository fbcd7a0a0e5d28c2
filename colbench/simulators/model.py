"""A collaborator that is a language model, wherever it runs: what it is shown, and what its failures mean.

When a content filter or an overlong prompt stops a reply, it matters who brought it about. An agent must not be able to
make an episode disappear by tripping a filter; and a task whose reference trips it is no failure of the agent. So the
task is tried once with a harmless question: if that passes, the agent's text was to blame, the collaborator declines in
words, and the episode goes on; otherwise the episode fails and is listed.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from colbench.chat.engine import ChatEngine
from colbench.chat.errors import ChatContextError, ChatEmptyError, ChatError, ChatFilterError, ChatRequestError
from colbench.chat.images import PictureCache, picture_part
from colbench.chat.messages import Message, nudge
from colbench.chat.reply import ChatReply
from colbench.errors import CollaboratorError, ConfigurationError
from colbench.prompts import load_prompt
from colbench.prompts.conversation import as_text
from colbench.seeding import derive_seed
from colbench.simulators.base import CollaboratorContext, Reply
from colbench.usage import Usage

__all__ = [
    "CollaboratorContextError",
    "CollaboratorEmptyError",
    "CollaboratorFilterError",
    "CollaboratorOutageError",
    "CollaboratorRefusedError",
    "ModelCollaborator",
]

_HARMLESS = "What should I know first?"
_DECLINED = {
    "content_filter": "I would rather not go into that. Please ask me something about the task itself.",
    "context_overflow": "That is more than I can read. Please ask me again in a few sentences.",
}


class _ModelCollaboratorError(CollaboratorError):
    """A failed reply; ``usage`` is what it cost nevertheless."""

    usage: Usage = Usage()


class CollaboratorOutageError(_ModelCollaboratorError):
    """The collaborator's server was out, all retries included."""


class CollaboratorEmptyError(_ModelCollaboratorError):
    """The collaborator said nothing, to a changed request either."""


class CollaboratorFilterError(_ModelCollaboratorError):
    """A content filter stops the task itself, whatever the agent says."""


class CollaboratorContextError(_ModelCollaboratorError):
    """The task itself does not fit the collaborator's context, whatever the agent says."""


class CollaboratorRefusedError(_ModelCollaboratorError):
    """The collaborator's server refused the request."""


class ModelCollaborator:
    """Asks a model for every reply, without a check for leaks; see :class:`colbench.simulators.guard`.

    Args:
        engine: the model.
        name: of the collaborator.
        prompt: path of a prompt file; None for the built-in prompts. A file with ``{dialogue_history}`` or
            ``{agent_message}`` is sent as one user message; any other is the system prompt of a chat in which the
            agent is the user.
        vision: show pages as pictures (frontend); otherwise as their source.
        image_size: pixels of a picture's longer side at most; None for full size.
    """

    def __init__(
        self,
        engine: ChatEngine,
        *,
        name: str,
        prompt: str | None = None,
        vision: bool = True,
        image_size: int | None = 1024,
    ) -> None:
        if image_size is not None and (not isinstance(image_size, int) or image_size < 16):
            raise ConfigurationError(f"image_size must be at least 16 pixels, actually: {image_size!r}")
        self.engine = engine
        self.name = name
        self._prompts = {
            kind: load_prompt(prompt, f"collaborator_{kind}", hidden=True) for kind in ("backend", "frontend")
        }
        self._own_prompt = prompt is not None
        self._vision = bool(vision)
        self._image_size = image_size
        self._pictures = PictureCache(image_size)
        # Whether a task passed before: then a filter or an overflow is the agent's doing.
        self._passes: dict[str, bool] = {}

    def describe(self) -> dict[str, Any]:
        """Name, model, options and the hashes of the prompts."""
        facts: dict[str, Any] = {"name": self.name, **self.engine.describe()}
        if self._own_prompt:
            facts["prompt"] = self._prompts["backend"].describe()
        else:
            facts["prompts"] = {kind: prompt.describe() for kind, prompt in self._prompts.items()}
        return {**facts, "vision": self._vision, "image_size": self._image_size}

    async def aclose(self) -> None:
        """Close the engine's connections."""
        await self.engine.aclose()

    async def reply(self, context: CollaboratorContext) -> Reply:
        """Answer the last message of the context."""
        return await self.ask(context)

    async def ask(self, context: CollaboratorContext, note: str | None = None, attempt: int = 0) -> Reply:
        """Answer the last message, with a note to the model on what was wrong with its last try.

        Args:
            context: task and dialogue.
            note: appended to the request.
            attempt: number of earlier tries.

        Raises:
            CollaboratorError: a subclass that names what happened.
        """
        try:
            reply = await self._complete(context, note, attempt)
        except (ChatFilterError, ChatContextError) as problem:
            if not await self._task_passes(context, problem):
                filtered = isinstance(problem, ChatFilterError)
                error = (CollaboratorFilterError if filtered else CollaboratorContextError)(str(problem))
                raise _with_usage(error, problem) from None
            return Reply(_DECLINED[problem.reason], usage=problem.usage, meta={"declined": problem.reason})
        except ChatError as problem:
            raise _translated(problem) from None
        self._passes[context.task.content_hash] = True
        meta = {**reply.meta, "finish_reason": reply.finish_reason} if reply.finish_reason != "stop" else reply.meta
        return Reply(reply.text, usage=reply.usage, attempts=2 if "retried_empty" in reply.meta else 1, meta=meta)

    async def _complete(self, context: CollaboratorContext, note: str | None, attempt: int) -> ChatReply:
        shown = await self.messages(context)
        if note is not None:
            shown = nudge(shown, note)
        return await self.engine.complete(shown, seed=derive_seed(context.seed, "reply", attempt), sample=context.seed)

    async def _task_passes(self, context: CollaboratorContext, problem: ChatError) -> bool:
        key = context.task.content_hash
        if key not in self._passes:
            opening = ({"role": "assistant", "content": _HARMLESS},)
            harmless = replace(context, messages=(*context.messages[:1], *opening), agent_page=None)
            try:
                await self._complete(harmless, None, 0)
                self._passes[key] = True
            except ChatEmptyError:
                self._passes[key] = True
            except type(problem):
                self._passes[key] = False
            except ChatError as other:
                raise _translated(other) from None
        return self._passes[key]

    async def messages(self, context: CollaboratorContext) -> list[Message]:
        """What the model is shown."""
        task = context.task
        prompt = self._prompts[task.kind]
        pictures: list[dict[str, Any]] = []
        sentence = ""
        if task.kind == "frontend":
            pictures, sentence = await self._show_pages(context)
        opening = prompt.fill(
            {
                "problem_description": task.problem_description,
                "hidden_information": task.ground_truth,
                "ground_truth": task.ground_truth,
                "dialogue_history": as_text(context.messages),
                "agent_message": context.messages[-1]["content"],
                "pictures": sentence,
                "max_chars": context.max_chars,
                "max_turns": "",
                "turns_left": "",
            }
        )
        if prompt.names & {"dialogue_history", "agent_message"}:
            return [{"role": "user", "content": _with_pictures(opening, pictures)}]
        other = {"assistant": "user", "user": "assistant"}
        chat = [{"role": other[m["role"]], "content": m["content"]} for m in context.messages]
        chat[-1] = {"role": "user", "content": _with_pictures(str(chat[-1]["content"]), pictures)}
        return [{"role": "system", "content": opening}, *chat]

    async def _show_pages(self, context: CollaboratorContext) -> tuple[list[dict[str, Any]], str]:
        """The pictures to attach, the agent's page first, and a sentence that says what they are."""
        mine, theirs = context.reference_page, context.agent_page
        if not self._vision:
            shown = theirs.html if theirs is not None else "(none yet)"
            return [], f"Your page, as source (secret):\n{context.task.ground_truth}\n\nThe designer's page:\n{shown}"
        if mine is None or mine.png is None:
            status = "was not rendered" if mine is None else f"has no picture (status {mine.status})"
            raise CollaboratorError(f"the reference page {status}; give vision=false to show its source instead")
        pages = [page for page in (theirs, mine) if page is not None and page.png is not None]
        parts = []
        for page in pages:
            address = await asyncio.to_thread(self._pictures.address, page.png or b"", page.png_hash or "")
            parts.append(picture_part(address))
        if len(parts) == 2:
            return parts, "Two pictures are attached: first the designer's page as it is now, then yours (secret)."
        state = "has shown no page yet" if theirs is None else f"sent a page that shows no picture ({theirs.status})"
        return parts, f"One picture is attached: your page (secret). The designer {state}."


def _with_pictures(text: str, pictures: list[dict[str, Any]]) -> Any:
    return [{"type": "text", "text": text}, *pictures] if pictures else text


def _translated(problem: ChatError) -> CollaboratorError:
    kind: type[_ModelCollaboratorError] = CollaboratorOutageError
    if isinstance(problem, ChatEmptyError):
        kind = CollaboratorEmptyError
    elif isinstance(problem, ChatRequestError):
        kind = CollaboratorRefusedError
    return _with_usage(kind(str(problem)), problem)


def _with_usage(error: _ModelCollaboratorError, problem: ChatError) -> _ModelCollaboratorError:
    error.usage = problem.usage
    return error
