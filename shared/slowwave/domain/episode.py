"""Something that happened, immutable."""

import contextlib
import hashlib
import json
import math
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from slowwave.domain.text import name_problems, text_problems
from slowwave.errors import Incorrect

CONTENT_BYTES = 256 * 1024
METADATA_BYTES = 16 * 1024
METADATA_DEPTH = 64
MOST_PROBLEMS = 50
"""How many problems of one metadata are listed; nobody reads more, and a small message can hold a million."""
EARLIEST = datetime(1000, 1, 1, tzinfo=UTC)
LATEST = datetime(9000, 1, 1, tzinfo=UTC)
SKEW = timedelta(hours=24)

EpisodeKind = Literal["message", "model_call", "tool_call", "memory_read", "outcome"]
Role = Literal["user", "assistant", "system", "tool"]


class Episode(BaseModel):
    """One thing that happened to an agent.

    *key* is the caller's own name for it within the scope: pushing the same key again is a repeat, not a second
    episode. Without one a random key is made. *occurred_at* carries a zone; without one the episode happened when
    it was received. *speaker* is who spoke, by name where known. Everything wrong with an episode is reported at
    once, as `Incorrect`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    content: str
    key: str = Field(default_factory=lambda: uuid.uuid4().hex)
    session: str = "default"
    role: Role = "user"
    kind: EpisodeKind = "message"
    occurred_at: datetime | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)

    def __init__(self, /, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise Incorrect.listing("episode", problems_of(error), hint=_HINT) from None

    @field_validator("content", "key", "session", "occurred_at", "metadata")
    @classmethod
    def _check(cls, value: Any, info: ValidationInfo) -> Any:
        problems = list(_CHECKS[info.field_name or ""](value))
        if problems:
            raise ValueError("\n".join(problems))
        return value

    @property
    def speaker(self) -> str | None:
        """The speaker's name, where the agent told us one in the metadata."""
        speaker = self.metadata.get("speaker")
        return speaker if isinstance(speaker, str) and speaker.strip() else None

    @property
    def ends_session(self) -> bool:
        """Whether this is the outcome with which an agent says that the session is over."""
        return self.kind == "outcome" and self.metadata.get("session_end") is True

    @property
    def digest(self) -> bytes:
        """32 bytes that differ when anything the caller said about the episode differs."""
        return hashlib.sha256(
            canonical_json(
                [
                    self.content,
                    self.session,
                    self.role,
                    self.kind,
                    self.occurred_at and self.occurred_at.astimezone(UTC).isoformat(),
                    self.metadata,
                ]
            )
        ).digest()

    @classmethod
    def from_message(cls, item: Mapping[str, Any]) -> "Episode":
        """Return the episode a JSON message describes; `occurred_at` is ISO 8601 text there."""
        occurred = item.get("occurred_at")
        if isinstance(occurred, str):
            with contextlib.suppress(ValueError):  # the strict model reports it together with everything else
                item = {**item, "occurred_at": datetime.fromisoformat(occurred)}
        return cls(**item)

    @classmethod
    def read(cls, item: object) -> "Episode":
        """Return the episode that *item* is, describes, or (as text) is the content of. Raises `Incorrect`."""
        if isinstance(item, Episode):
            return item
        if isinstance(item, str):
            return cls(content=item)
        if not isinstance(item, Mapping):
            raise Incorrect.listing("episode", ["is no object"], hint=_HINT)
        if nameless := [name for name in item if not isinstance(name, str)]:
            raise Incorrect.listing(
                "episode", [f"has a field whose name is no text: {name!r}" for name in nameless], hint=_HINT
            )
        return cls.from_message(item)

    def to_message(self) -> dict[str, Any]:
        """Return the episode as JSON values, as the `slowwave.ingest` message carries it."""
        return self.model_dump(mode="json")


Item = Episode | Mapping[str, Any] | str
"""What may be pushed: an episode, a mapping with its fields, or its content."""

_HINT = "mend the episode and push it again under the same key"


def canonical_json(value: Any) -> bytes:
    """Return JSON that is the same for equal values, whatever the order of their keys."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def problems_of(error: ValidationError) -> list[str]:
    """Return one line a problem, with the place it stands in."""
    lines = []
    for problem in error.errors(include_url=False, include_context=False, include_input=False):
        place = ".".join(str(part) for part in problem["loc"])
        for message in problem["msg"].removeprefix("Value error, ").splitlines():
            lines.append(f"{_at(place)}{message}" if place else message)
    return lines


def _content_problems(content: str) -> Iterator[str]:
    if not content.strip():
        yield "is empty"
    yield from text_problems(content)
    size = len(content.encode("utf-8", "surrogatepass"))
    if size > CONTENT_BYTES:
        yield f"has {size} bytes, at most {CONTENT_BYTES} are allowed"


def _time_problems(occurred: datetime | None) -> Iterator[str]:
    if occurred is None:
        return
    if occurred.utcoffset() is None:
        yield "has no time zone"
    elif not EARLIEST <= occurred <= LATEST:
        yield "lies outside the years 1000 to 9000"


def _metadata_problems(metadata: dict[str, Any]) -> Iterator[str]:
    problems = sorted(set(islice(_walk(metadata, "", 1), MOST_PROBLEMS)))
    yield from problems
    if not problems:
        size = len(json.dumps(metadata, ensure_ascii=False).encode("utf-8"))
        if size > METADATA_BYTES:
            yield f"has {size} bytes, at most {METADATA_BYTES} are allowed"


def _walk(value: Any, place: str, depth: int) -> Iterator[str]:
    if depth > METADATA_DEPTH:
        yield f"is nested deeper than {METADATA_DEPTH}"
    elif isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                yield f"{_at(place)}has a key that is not text"
                continue
            yield from (f"{_at(place)}a key {problem}" for problem in text_problems(key))
            yield from _walk(inner, _join(place, key), depth + 1)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _walk(inner, _join(place, str(number)), depth + 1)
    elif isinstance(value, str):
        yield from (f"{_at(place)}{problem}" for problem in text_problems(value))
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{_at(place)}is not a finite number"
    elif isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        yield f"{_at(place)}does not fit 64 bits"
    elif value is not None and not isinstance(value, bool | int | float):
        yield f"{_at(place)}is not a JSON value ({type(value).__name__})"


def _join(place: str, part: str) -> str:
    return place if text_problems(part) else f"{place}.{part}".lstrip(".")


def _at(place: str) -> str:
    return f"{place}: " if place else ""


_CHECKS: dict[str, Callable[[Any], Iterable[str]]] = {
    "content": _content_problems,
    "key": name_problems,
    "session": name_problems,
    "occurred_at": _time_problems,
    "metadata": _metadata_problems,
}


class StoredEpisode(BaseModel):
    """An episode as the inbox holds it: with its id, its *position* in the scope and when it was *received*."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    id: uuid.UUID
    key: str
    position: int
    received: datetime
    occurred: datetime
    session: str
    role: Role
    kind: EpisodeKind
    content: str
    metadata: dict[str, Any]

    @property
    def speaker(self) -> str | None:
        """The speaker's name, where the agent told us one in the metadata."""
        speaker = self.metadata.get("speaker")
        return speaker if isinstance(speaker, str) and speaker.strip() else None
