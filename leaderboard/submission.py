"""``submission.yaml``: what only the submitter can know, checked field by field with the line of each mistake."""

from __future__ import annotations

import datetime
import json
import re
import unicodedata
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from colbench.errors import MissingExtraError
from colbench.jsonl import atomic_write
from leaderboard.findings import Findings

__all__ = ["DIALOGUES", "SUBMISSION", "Protocol", "Submission", "load_yaml", "read_submission", "schema", "slug_of"]

SUBMISSION = "submission.yaml"
DIALOGUES = "trajectories.jsonl"
MAX_YAML_BYTES = 64 * 1024

_Name = Annotated[str, Field(min_length=1, max_length=80)]
_Short = Annotated[str, Field(min_length=1, max_length=120)]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    @field_validator("*", mode="before")
    @classmethod
    def _without_control_characters(cls, value: Any) -> Any:
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and any(unicodedata.category(c) in ("Cc", "Cs") and c != "\n" for c in text):
                raise ValueError("holds control characters; write plain text")
        return value


class Protocol(_Record):
    """Whether the agent was played as the board says."""

    kind: Literal["standard", "custom"] = Field(
        "standard", description="`custom` where anything beside the agent differs from the board's own way of playing."
    )
    why: str | None = Field(None, max_length=1000, description="What is different, and why; needed for `custom`.")

    @model_validator(mode="after")
    def _custom_says_why(self) -> Protocol:
        if self.kind == "custom" and not self.why:
            raise ValueError("a custom protocol says in 'why' what is different")
        return self


class Submission(_Record):
    """One submission; the fields of ``submission.yaml``."""

    schema_: Literal["colbench.submission/1"] = Field("colbench.submission/1", alias="schema")
    board: _Name = Field(description="Name of the board.")
    name: _Name = Field(description="Name of the agent, as it stands in the table.")
    model: _Short = Field(description="The model behind it, or `none`.")
    parameters: _Short | None = Field(None, description="Size of the model, such as `8B`.")
    authors: list[_Short] = Field(min_length=1, max_length=50)
    link: str | None = Field(None, max_length=300, pattern=r"^https?://[^\s<>\"']+$", description="Paper or code.")
    licence: _Short = Field(description="Licence under which the dialogues may be published.")
    collaborator: dict[str, str | int | float | bool | None] = Field(
        description="Who answered: at least `name`, and `model` where there is one. It must fit the board's."
    )
    prompts_hash: str | None = Field(None, max_length=128, pattern=r"^[0-9a-f]{8,128}$")
    protocol: Protocol = Field(default_factory=lambda: Protocol())
    date: datetime.date
    missing_as_zero: bool = Field(
        False, description="Say true to have episodes that are missing counted as 0 instead of being refused."
    )
    notes: str | None = Field(None, max_length=2000)

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, str_strip_whitespace=True)

    @field_validator("name", "model")
    @classmethod
    def _something_to_read(cls, value: str) -> str:
        if not any(c.isalnum() for c in value):
            raise ValueError("holds no letter or digit")
        return value

    @field_validator("collaborator")
    @classmethod
    def _small(cls, value: dict[str, Any]) -> dict[str, Any]:
        if "name" not in value:
            raise ValueError("needs at least 'name'")
        if len(json.dumps(value)) > 2000:
            raise ValueError("is longer than 2,000 characters")
        return value

    def to_yaml(self) -> str:
        """The file's text."""
        yaml = _yaml()
        record = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        return str(yaml.safe_dump(record, sort_keys=False, allow_unicode=True, width=100))

    def write(self, folder: Path) -> None:
        """Write ``submission.yaml`` into a folder."""
        atomic_write(folder / SUBMISSION, self.to_yaml())


def schema() -> dict[str, Any]:
    """JSON Schema of ``submission.yaml``."""
    found = Submission.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found, "title": "colbench.submission/1"}


def slug_of(name: str) -> str:
    """A folder's name made from any text: ASCII letters, digits and hyphens only, so it leads nowhere else.

    Example:
        >>> slug_of("../<script>My Agent 2")
        'script-my-agent-2'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].strip("-") or "entry"


def _yaml() -> Any:
    try:
        import yaml
    except ImportError:
        raise MissingExtraError("the leaderboard", "report") from None
    return yaml


def read_submission(folder: Path, findings: Findings) -> Submission | None:
    """Read ``submission.yaml``; everything wrong with it goes to ``findings``.

    Raises:
        MissingExtraError: without PyYAML.
    """
    value, lines = load_yaml(folder / SUBMISSION, findings)
    if value is None:
        return None
    try:
        return Submission.model_validate(value)
    except ValidationError as problem:
        for error in problem.errors(include_url=False, include_input=False, include_context=False):
            place = tuple(error["loc"])
            name = ".".join(str(p) for p in place) or "the file"
            findings.add("error", "submission", f"{name}: {error['msg']}", SUBMISSION, _line(lines, place))
        return None


def _line(lines: dict[tuple[Any, ...], int], place: tuple[Any, ...]) -> int:
    while place and place not in lines:
        place = place[:-1]
    return lines.get(place, 1)


def load_yaml(path: Path, findings: Findings) -> tuple[dict[str, Any] | None, dict[tuple[Any, ...], int]]:
    """A YAML mapping and the line of each of its fields; no anchors, no objects, no absurd sizes."""
    yaml = _yaml()
    name = path.name

    def refuse(message: str, line: int | None = None) -> tuple[None, dict[tuple[Any, ...], int]]:
        findings.add("error", "submission", message, name, line)
        return None, {}

    if path.is_symlink() or (path.exists() and not path.is_file()):
        return refuse("is a link or no regular file")
    try:
        with path.open("rb") as handle:
            blob = handle.read(MAX_YAML_BYTES + 1)
    except OSError as problem:
        return refuse(f"cannot be read ({problem.strerror})")
    if len(blob) > MAX_YAML_BYTES:
        return refuse(f"is longer than {MAX_YAML_BYTES:,} bytes")
    try:
        text = blob.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        return refuse("is not UTF-8", blob[: problem.start].count(b"\n") + 1)
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                return refuse("anchors and aliases are not allowed", event.start_mark.line + 1)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        value = yaml.safe_load(text)
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        what = getattr(problem, "problem", None) or "cannot be read"
        return refuse(f"not valid YAML: {what}", mark.line + 1 if mark else None)
    except (ValueError, RecursionError, OverflowError) as problem:
        return refuse(f"not valid YAML: {problem}")
    if not isinstance(value, dict):
        return refuse("does not hold fields with values", 1)
    lines: dict[tuple[Any, ...], int] = {(): 1}
    _note_lines(yaml, node, (), lines)
    return value, lines


def _note_lines(yaml: Any, node: Any, place: tuple[Any, ...], lines: dict[tuple[Any, ...], int]) -> None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            lines[(*place, key.value)] = key.start_mark.line + 1
            _note_lines(yaml, value, (*place, key.value), lines)
    elif isinstance(node, yaml.SequenceNode):
        for i, value in enumerate(node.value):
            lines[(*place, i)] = value.start_mark.line + 1
