"""Validates the control commands that are broadcast to all workers, before Celery reads them.

After most malformed commands, Celery reopens its mailbox and receives no further command. Some malformed commands crash
Celery.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from worker.malformed import DEEPEST, Part, Properties, content, incorrect, parsed, too_deep, validated

MAILBOX = ".pidbox"
"""The suffix of the channel on which control commands are published."""


class _Headers(Part):
    clock: Annotated[int, Field(ge=0, lt=1 << 62)] | None = None
    compression: None = None


class _Published(Part):
    body: str
    content_type: Literal["application/json"] = Field(alias="content-type")
    content_encoding: Literal["utf-8"] = Field(alias="content-encoding")
    headers: _Headers
    properties: Properties


class _Answer(Part):
    exchange: str
    routing_key: str


class _Order(Part, extra="forbid"):
    """A control command and its recipients.

    A regular expression for recipients is refused, because its evaluation may never end.
    """

    method: str
    arguments: dict[str, Any] | None = None
    destination: list[str] | None = None
    pattern: str | None = None
    matcher: Literal["glob"] | None = None
    reply_to: _Answer | None = None
    ticket: str | None = None


def refuse_malformed(raw: bytes) -> None:
    """Raise `Incorrect` with every problem of a published control command."""
    found = validated(_Published, parsed(raw))
    order = content(found.body, found.properties.body_encoding)
    if too_deep(order):
        raise incorrect([f"body: is nested deeper than {DEEPEST}"])
    validated(_Order, order)
