"""An episode: one event as an agent pushed it, in an immutable form."""

import contextlib
import hashlib
import unicodedata
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from slowwave.domain.limits import (
    CONTENT_BYTES,
    NAME_CHARACTERS,
    TRACEPARENT,
    as_stored,
    at,
    canonical_json,
    describe_chat_fields,
    from_chat,
    metadata_problems,
    name_problems,
    text_problems,
)  # fmt: skip
from slowwave.errors import Incorrect
from slowwave.formatting import brief
from slowwave.validation_messages import MOST_UNKNOWN, clipped_place, limited_and_clipped, nearest, sentence, shortened

EARLIEST, LATEST, MINUTE = datetime(1000, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC), timedelta(minutes=1)

EpisodeKind = Literal["message", "model_call", "tool_call", "memory_read", "outcome"]
Role = Literal["user", "assistant", "system", "tool"]
UNNAMED = "default"
"""The session of an episode if the agent names no session."""
_HINT = "correct the episode and push it again, under the same key if it has one; put fields of your own under metadata"


def new_key() -> str:
    """Return a new unique key."""
    return uuid.uuid4().hex


def is_drawn(key: str) -> bool:
    """Return whether *key* looks like a key that `new_key` generated, and which means nothing to an agent."""
    try:
        return uuid.UUID(key).version == 4 and uuid.UUID(key).hex == key
    except ValueError:
        return False


def key_or_new(key: str | None) -> str:
    """Return *key*, or a new key if *key* is None."""
    return new_key() if key is None else key


class EpisodeFields(TypedDict, total=False):
    """The fields of an episode besides its content."""

    key: str
    session: str
    role: Role
    kind: EpisodeKind
    occurred_at: datetime | None
    speaker: str | None
    metadata: dict[str, Any]


def digest_of(
    content: str, session: str, role: str, kind: str, occurred_at: datetime | None, metadata: Mapping[str, Any],
    *, former: bool = False,
) -> bytes:  # fmt: skip
    """Return the digest of the episode with these fields, see `Episode.digest`.

    It is the same for the metadata that Postgres gives back; see `as_stored`. The *former* digest was not.
    """
    said = {name: value for name, value in metadata.items() if name != TRACEPARENT}
    at = occurred_at and occurred_at.astimezone(UTC).isoformat()
    text = canonical_json([content, session, role, kind, at, said])
    if not former and (b"e+" in text or b"-0.0" in text):  # perhaps as a number
        text = canonical_json([content, session, role, kind, at, as_stored(said)])
    return hashlib.sha256(text).digest()


class Episode(BaseModel):
    """One event in the life of an agent.

    *key* is the caller's name for the episode, unique within the scope. A second push with the same key stores nothing.
    The default is a random key. *occurred_at* needs a time zone; the default is the time of receipt. *speaker* is the
    name of the person who says "I" in *content*, if the name is known. The metadata also contains the name, and you may
    give the name only there. The constructor raises one `Incorrect` with every problem.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, json_schema_extra=describe_chat_fields)

    content: str
    key: str = Field(default_factory=new_key)
    session: str = UNNAMED
    role: Role = "user"
    kind: EpisodeKind = "message"
    occurred_at: datetime | None = None
    speaker: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)

    if not TYPE_CHECKING:  # type checkers read the fields above

        def __init__(self, /, *args: Any, **fields: Any) -> None:
            problems = ["is one argument too many: pass the fields by name"] if args else []
            fields, unread = limited_and_clipped(fields, EPISODE_FIELDS)
            fields, disagreement = _with_speaker(fields)
            problems += disagreement
            try:
                super().__init__(**fields)
            except ValidationError as error:
                problems += problems_of(error, EPISODE_FIELDS, meant=_MEANT)
            if problems:
                raise Incorrect.listing("episode", problems, more=unread, hint=_HINT)

        def __setattr__(self, name: str, value: Any) -> None:
            raise Incorrect(f"{name}: an episode is immutable", hint="make another `Episode`")

        def __delattr__(self, name: str) -> None:
            self.__setattr__(name, None)

    @field_validator("content", "key", "session", "occurred_at", "speaker", "metadata")
    @classmethod
    def _check(cls, value: Any, info: ValidationInfo) -> Any:
        problems = list(_CHECKS[info.field_name or ""](value))
        if problems:
            raise ValueError("\n".join(problems))
        return value

    @field_validator("occurred_at")
    @classmethod
    def _in_minutes(cls, value: datetime | None) -> datetime | None:
        """Return the same instant with an offset of whole minutes, as ISO 8601 and JSON require."""
        offset = value.utcoffset() if value else None
        if value is None or offset is None or offset % MINUTE == timedelta():
            return value
        return value.astimezone(timezone(offset - offset % MINUTE))

    @property
    def ends_session(self) -> bool:
        """True if this is an outcome with which an agent ends the session."""
        return self.kind == "outcome" and self.metadata.get("session_end") is True

    @property
    def utc_offset(self) -> int:
        """The seconds by which the speaker's clock is ahead of UTC, or 0 if unknown."""
        return offset_of(self.occurred_at) if self.occurred_at else 0

    @property
    def digest(self) -> bytes:
        """A hash of 32 bytes over all fields that the caller gave. The hash ignores the UTC offset of instants."""
        return digest_of(self.content, self.session, self.role, self.kind, self.occurred_at, self.metadata)

    @property
    def former_digest(self) -> bytes:
        """The digest that former versions stored, which differs for metadata with very large numbers or -0.0."""
        fields = self.content, self.session, self.role, self.kind, self.occurred_at, self.metadata
        return digest_of(*fields, former=True)

    @classmethod
    def from_message(cls, item: Mapping[str, Any]) -> "Episode":
        """Return the episode that a JSON message describes. In the message, `occurred_at` is a text in ISO 8601.

        A chat turn in OpenAI's format is accepted too: see `from_chat`.
        """
        fields, problems = from_chat(item)
        occurred = fields.get("occurred_at")
        if isinstance(occurred, str):
            with contextlib.suppress(ValueError):  # the strict model reports the missing field with all other problems
                fields["occurred_at"] = datetime.fromisoformat(occurred)
        try:
            episode = cls(**fields)
        except Incorrect as error:
            if not problems:
                raise
            problems += error.problems
        if problems:
            raise Incorrect.listing("episode", problems, hint=_HINT)
        return episode

    @classmethod
    def read(cls, item: object) -> "Episode":
        """Return *item* as an episode: an episode, a mapping with its fields, or a content. Raises `Incorrect`."""
        if isinstance(item, Episode):
            return cls(**item.__dict__)  # checks again: metadata is mutable, and pydantic can copy unchecked
        if isinstance(item, str):
            return cls(content=item)
        if not isinstance(item, Mapping):
            raise Incorrect.listing("episode", ["is not an object"], hint=_HINT)
        if nameless := [name for name in item if not isinstance(name, str)]:
            problems = [f"has a field whose name is not text: {shortened(name)}" for name in nameless[:MOST_UNKNOWN]]
            raise Incorrect.listing("episode", problems, more=len(nameless[MOST_UNKNOWN:]), hint=_HINT)
        return cls.from_message(item)

    def to_message(self) -> dict[str, Any]:
        """Return the episode as JSON values for the `slowwave.ingest` message."""
        return self.model_dump(mode="json", exclude={"speaker"})

    def __repr__(self) -> str:
        return brief(self, f"{self.role}: {self.content}", f"session {self.session}", id=self.key)

    __str__ = __repr__


def offset_of(instant: datetime) -> int:
    """Return the UTC offset of *instant* in seconds."""
    offset = instant.utcoffset()
    return int(offset.total_seconds()) if offset else 0


Item = Episode | Mapping[str, Any] | str
"""The input of a push: an episode, a mapping with its fields, or its content."""

EPISODE_FIELDS = ("content", *EpisodeFields.__annotations__)
_MEANT = {"text": "content", "message": "content"}
"""Names that other libraries give a field, each with the name of the field here."""


def _with_speaker(fields: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return *fields*, with the speaker both as a field and in the metadata, and the problems that were found."""
    speaker, metadata = fields.get("speaker"), fields.get("metadata", {})
    if not isinstance(metadata, dict):
        return fields, []
    noted = metadata.get("speaker")
    if speaker is None:
        return ({**fields, "speaker": noted} if isinstance(noted, str) and noted.strip() else fields), []
    if "speaker" in metadata and noted != speaker:
        return fields, [f"speaker: is {shortened(speaker)} here and {shortened(noted)} in the metadata"]
    return {**fields, "metadata": {**metadata, "speaker": speaker}}, []


def problems_of(
    error: ValidationError, names: Sequence[str] = (), *, meant: Mapping[str, str] | None = None
) -> list[str]:
    """Return one line per problem, with its place. For an unknown name, the line suggests the nearest of *names*.

    *meant* maps common wrong names to the right names.
    """
    lines = []
    for problem in error.errors(include_url=False):
        place = ".".join(str(part) for part in problem["loc"])
        unknown = problem["type"] == "extra_forbidden"
        for message in sentence(problem).splitlines():
            lines.append(f"{at(clipped_place(place))}{message}{nearest(place, names, meant=meant) if unknown else ''}")
    return lines


def _content_problems(content: str) -> Iterator[str]:
    if not content.strip():
        yield "is empty"
    yield from text_problems(content)
    size = len(content.encode("utf-8", "surrogatepass"))
    if size > CONTENT_BYTES:
        yield f"has {size} bytes, at most {CONTENT_BYTES} are allowed"


def time_problems(occurred: datetime | None) -> Iterator[str]:
    """Yield the reasons why Slowwave cannot store the time of an event."""
    if occurred is None:
        return
    if occurred.utcoffset() is None:
        yield "has no time zone"
    elif not EARLIEST <= occurred <= LATEST:
        yield "lies outside the years 1000 to 9000"


def _speaker_problems(speaker: str | None) -> Iterator[str]:
    if speaker is None:
        return
    if not speaker.strip():
        yield "is empty"
    if len(speaker) > NAME_CHARACTERS:
        yield f"has {len(speaker)} characters, at most {NAME_CHARACTERS} are allowed"
    elif any(unicodedata.category(character) == "Cc" for character in speaker):
        yield "contains control characters"


_CHECKS: dict[str, Callable[[Any], Iterable[str]]] = {
    "content": _content_problems,
    "key": name_problems,
    "session": name_problems,
    "occurred_at": time_problems,
    "speaker": _speaker_problems,
    "metadata": metadata_problems,
}


class StoredEpisode(BaseModel):
    """An episode in the inbox, with its *id*, its *position* in the scope, and the time when it was *received*.

    All times are in UTC. *utc_offset* is the offset of the speaker's clock from UTC, in seconds.
    """

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
    utc_offset: int = 0

    @property
    def local(self) -> datetime:
        """The time of the episode by the speaker's clock, for words like "tomorrow" and "Monday morning"."""
        return self.occurred.astimezone(timezone(timedelta(seconds=self.utc_offset)))

    @property
    def speaker(self) -> str | None:
        """The speaker's name, if the agent gave it in the metadata."""
        speaker = self.metadata.get("speaker")
        return speaker if isinstance(speaker, str) and speaker.strip() else None
