"""Episodes sent in batches, and the server's receipts for them."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from slowwave.domain.episode import Episode
from slowwave.domain.limits import MESSAGE_BYTES
from slowwave.domain.receipt import Receipt
from slowwave.remote.http import HttpConnection
from slowwave.remote.problems import TooLong, error_from_problem
from slowwave.remote.responses import read

BATCH = 500
"""The most episodes per request; the server stores them in one transaction."""


@dataclass(frozen=True, slots=True)
class _ReceiptLine:
    """A receipt in its JSON form."""

    id: uuid.UUID | None
    key: str
    state: Literal["stored", "queued", "spooled", "refused"]
    position: int | None = None
    repeated: bool = False
    problem: Mapping[str, Any] | None = None
    masked: tuple[str, ...] = ()


def receipt_of(found: Any) -> Receipt:
    """Return the receipt that a server sent as *found*."""
    one = read(_ReceiptLine, found)
    error = None if one.problem is None else error_from_problem(one.problem)
    return Receipt(one.id, one.key, one.state, one.position, one.repeated, error, one.masked)


def pushed(wire: HttpConnection, whose: Mapping[str, Any], episodes: Sequence[Episode]) -> list[Receipt]:
    """Store episodes in order, in requests of the maximum size; return their receipts.

    Raises `Unavailable` if the server stays down: push all items again; stored episodes count as repeats.
    """
    found: list[Receipt] = []
    some: list[dict[str, Any]] = []
    size = 0
    for episode in episodes:
        message = episode.to_message()
        length = 6 * len(episode.content)  # an upper bound for its JSON
        if some and (len(some) == BATCH or size + length > MESSAGE_BYTES):
            found += _sent(wire, whose, some)
            some, size = [], 0
        some.append(message)
        size += length
    return found + _sent(wire, whose, some)


def _sent(wire: HttpConnection, whose: Mapping[str, Any], messages: list[dict[str, Any]]) -> list[Receipt]:
    """Store *messages*; if they are too long for the server, send each half in its own request."""
    try:
        answer = wire.post("/v1/push/batch", {**whose, "episodes": messages})
    except TooLong as error:
        half = len(messages) // 2
        if not half:
            return [Receipt(None, messages[0]["key"], "refused", error=error)]
        return _sent(wire, whose, messages[:half]) + _sent(wire, whose, messages[half:])
    return [receipt_of(one) for one in answer["items"]]
