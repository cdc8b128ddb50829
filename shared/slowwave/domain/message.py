"""The message in which an agent in any language sends episodes through the broker."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SkipValidation, ValidationError

from slowwave.domain.episode import Episode, problems_of
from slowwave.domain.limits import MESSAGE_BYTES, MOST_EPISODES
from slowwave.domain.receipt import Spooled
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.errors import Incorrect
from slowwave.validation_messages import limited_and_clipped

ENVELOPE_BYTES = 8 * 1024
"""The number of bytes in a message that are reserved for the names of a scope."""
CLIENT = "^[A-Za-z0-9_-]{1,64}$"

Name = Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": 255})]
"""A name; `Scope` checks it."""


def _client(name: str) -> str:
    if not re.fullmatch(CLIENT, name):
        raise ValueError("expected 1 to 64 letters, digits, - and _")
    return name


Client = Annotated[str, AfterValidator(_client), Field(json_schema_extra={"pattern": CLIENT})]


class IngestMessage(BaseModel):
    """The keyword arguments of the Celery task `slowwave.ingest`: the scope, and its episodes in order.

    The worker reads each episode separately: an invalid episode becomes a dead letter with every problem, and the
    others are stored. An episode without a key gets a key from the message's id and the episode's index, so that a
    message that is delivered twice is stored once. If *client* is set, the worker confirms stored episodes in the Redis
    list `slowwave.receipts.<client>`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, title="slowwave.ingest")

    tenant: Name = "default"
    user: Name
    agent: Name = "default"
    channel: Name = GLOBAL_CHANNEL
    episodes: Annotated[list[SkipValidation[Episode]], Field(min_length=1, max_length=MOST_EPISODES)]
    client: Client | None = None

    @classmethod
    def read(cls, message: Mapping[str, Any]) -> tuple["IngestMessage", Scope]:
        """Return the message and its scope, without a check of the episodes. Raises `Incorrect` with all problems."""
        problems: list[str] = []
        fields, unread = limited_and_clipped(message, cls.model_fields)
        try:
            read = cls.model_validate(fields)
        except ValidationError as error:
            problems += problems_of(error)
        try:
            scope = Scope(*_names(message))
        except Incorrect as error:
            problems += error.problems
        if problems:
            raise Incorrect.listing(
                "message", sorted(problems), more=unread, hint="ops/ingest.schema.json describes the message"
            )
        return read, scope


def messages(entries: Sequence[Spooled]) -> Iterator[tuple[Scope, list[Spooled]]]:
    """Yield batches of entries with their scope, one batch per message. A batch has entries of one scope, in order.

    A batch takes at most `MESSAGE_BYTES` as JSON.
    """
    scopes: Mapping[Scope, list[Spooled]] = {entry.scope: [] for entry in entries}
    for entry in entries:
        scopes[entry.scope].append(entry)
    for scope, all_of_it in scopes.items():
        message: list[Spooled] = []
        size = ENVELOPE_BYTES
        for entry in all_of_it:
            more = len(json.dumps(entry.episode, ensure_ascii=False).encode()) + 2
            if message and size + more > MESSAGE_BYTES:
                yield scope, message
                message, size = [], ENVELOPE_BYTES
            message.append(entry)
            size += more
        yield scope, message


def _names(message: Mapping[str, Any]) -> Iterator[str]:
    """Yield the tenant, the user, the agent and the channel of a message.

    For a part that is missing or not a text, the default is given, so that a scope can be made. The pydantic model
    reports the problem.
    """
    for part, default in (("tenant", "default"), ("user", "-"), ("agent", "default"), ("channel", GLOBAL_CHANNEL)):
        name = message.get(part, default)
        yield name if isinstance(name, str) else default


def tenant_of(message: Mapping[str, Any]) -> str | None:
    """Return the tenant of an unreadable message, or None if the message has no valid name of a tenant."""
    tenant = message.get("tenant", "default")
    try:
        return Scope(tenant, "-", "-").tenant if isinstance(tenant, str) else None
    except Incorrect:
        return None


def sender_of(message: Mapping[str, Any]) -> tuple[str, Scope, list[Any]] | None:
    """Return the sending client, the scope and the first episodes of an unreadable message.

    There are at most as many episodes as one message may hold. The result is None if the client, the scope or the list
    of episodes is not valid.
    """
    client, items = message.get("client"), message.get("episodes")
    if not (isinstance(client, str) and re.fullmatch(CLIENT, client) and isinstance(items, list)):
        return None
    try:
        return client, Scope(*_names(message)), items[:MOST_EPISODES]
    except Incorrect:
        return None
