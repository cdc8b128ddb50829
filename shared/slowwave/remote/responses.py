"""Responses, converted from JSON to the values of the library, and receipts of episodes that were sent in batches."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from pydantic import TypeAdapter, ValidationError

from slowwave.domain.episode import Episode
from slowwave.domain.limits import MESSAGE_BYTES
from slowwave.domain.receipt import Receipt, gathered
from slowwave.errors import Incorrect
from slowwave.remote.http import HttpConnection
from slowwave.remote.problems import TooLong, error_from_problem

T = TypeVar("T")
PAGE = 1_000
"""The maximum number of items of a list in one request."""


OF_CALLERS = frozenset({"metadata", "fact_payload"})
"""Fields that may hold a caller's own JSON."""
_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}
"""The parsers by type. They are cached, because it takes milliseconds to make a parser."""
BATCH = 500
"""The maximum number of episodes in one request. The server stores these episodes in one transaction."""


class OutOfReach(Incorrect, AttributeError):
    """An error: a verb, or an argument of a verb, works only with the database."""


def out_of_reach(name: str) -> OutOfReach:
    """Return the error that *name* is not available over HTTP."""
    return OutOfReach(
        f"{name} is not available over HTTP: it needs the database",
        hint="use Memory.connect with the address of Postgres, or the `slowwave` command on the server",
    )


def only(**given: Any) -> None:
    """Raise `OutOfReach` if any of these arguments has a value, because the HTTP API does not have these arguments."""
    if names := [name for name, value in given.items() if value]:
        raise out_of_reach(", ".join(names))


def read(kind: type[T], value: Any) -> T:
    """Return *value*, from JSON, as *kind*. Raises `Incorrect` if the server has an incompatible version."""
    try:
        adapter = _ADAPTERS.get(kind) or _ADAPTERS.setdefault(kind, TypeAdapter(kind))
        found: T = adapter.validate_python(_with_tuples(value), strict=False)
    except ValidationError as error:
        raise Incorrect(
            f"this version cannot read the server's answer as {getattr(kind, '__name__', 'answer')}",
            problems=[f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_url=False)[:5]],
            hint="use the same version of client and server",
        ) from None
    return found


def listed(kind: type[T], found: Mapping[str, Any]) -> list[T]:
    """Return the items of a page as values of *kind*."""
    return [read(kind, one) for one in found["items"]]


def paged(
    wire: HttpConnection, of: type[T], path: str, /, *, limit: int | None, cursor: str = "after", **query: Any
) -> Iterator[T]:
    """Yield up to *limit* items that *path* lists; one request is sent per page."""
    left = limit
    while left is None or left > 0:
        found = wire.get(path, limit=PAGE if left is None else min(PAGE, left), **query)
        yield from listed(of, found)
        if found.get("next") is None:
            return
        query[cursor] = found["next"]
        left = None if left is None else left - len(found["items"])


def _with_tuples(value: Any, name: str = "") -> Any:
    """Return *value* with lists replaced by tuples, which the library uses. A caller's own JSON is unchanged."""
    if isinstance(value, dict):
        return {key: _with_tuples(one, key) for key, one in value.items()} if name not in OF_CALLERS else value
    return tuple(_with_tuples(one) for one in value) if isinstance(value, list) else value


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


def pushed(wire: HttpConnection, owner: Mapping[str, Any], episodes: Sequence[Episode]) -> list[Receipt]:
    """Store episodes in order, in requests of the maximum size. Return the receipts of the episodes.

    Raises `Unavailable` if the server stays down. The caller may push all items again: stored episodes with keys count
    as repeats, and after an episode without a key is stored, no error is raised (see `gathered`).
    """
    return gathered((receipt for some in _requests(episodes) for receipt in _sent(wire, owner, some)), episodes)


def _requests(episodes: Sequence[Episode]) -> Iterator[list[dict[str, Any]]]:
    some: list[dict[str, Any]] = []
    size = 0
    for episode in episodes:
        message = episode.to_message()
        length = 6 * len(episode.content)  # an upper bound for the length of the JSON
        if some and (len(some) == BATCH or size + length > MESSAGE_BYTES):
            yield some
            some, size = [], 0
        some.append(message)
        size += length
    yield some


def _sent(wire: HttpConnection, owner: Mapping[str, Any], messages: list[dict[str, Any]]) -> Iterator[Receipt]:
    """Store *messages* and yield the receipts.

    If the messages together are too long for the server, send each half in its own request.
    """
    try:
        answer = wire.post("/v1/push/batch", {**owner, "episodes": messages})
    except TooLong as error:
        half = len(messages) // 2
        if not half:
            yield Receipt(None, messages[0]["key"], "refused", error=error)
            return
        yield from _sent(wire, owner, messages[:half])
        yield from _sent(wire, owner, messages[half:])
        return
    yield from (receipt_of(one) for one in answer["items"])
