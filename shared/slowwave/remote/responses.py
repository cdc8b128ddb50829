"""Responses converted from JSON to the library's values; and errors for verbs that need the database."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from slowwave.errors import Incorrect
from slowwave.remote.http import HttpConnection

T = TypeVar("T")
PAGE = 1_000
"""The most items of a list per request."""


OF_CALLERS = frozenset({"metadata", "fact_payload"})
"""Fields that may hold a caller's own JSON."""


class OutOfReach(Incorrect, AttributeError):
    """A verb, or an argument of one, that works only with the database."""


def out_of_reach(name: str) -> OutOfReach:
    """Return the error that *name* is not available over HTTP."""
    return OutOfReach(
        f"{name} is not available over HTTP: it needs the database",
        hint="use Memory.connect with the address of Postgres, or the `slowwave` command on the server",
    )


def only(**said: Any) -> None:
    """Raise `OutOfReach` with the given arguments that requests do not support."""
    if names := [name for name, value in said.items() if value]:
        raise out_of_reach(", ".join(names))


_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}
"""The parsers by type, cached since making one takes milliseconds."""


def read(kind: type[T], value: Any) -> T:
    """Return *value*, from JSON, as *kind*. Raises `Incorrect` for a value of an incompatible server version."""
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
    """Return the items of a page."""
    return [read(kind, one) for one in found["items"]]


def paged(
    wire: HttpConnection, of: type[T], path: str, /, *, limit: int | None, cursor: str = "after", **query: Any
) -> Iterator[T]:
    """Give up to *limit* items that *path* lists; requests page after page."""
    left = limit
    while left is None or left > 0:
        found = wire.get(path, limit=PAGE if left is None else min(PAGE, left), **query)
        yield from listed(of, found)
        if found.get("next") is None:
            return
        query[cursor] = found["next"]
        left = None if left is None else left - len(found["items"])


def _with_tuples(value: Any, name: str = "") -> Any:
    """Return *value* with tuples in place of lists, as in the library's values, but not in a caller's own JSON."""
    if isinstance(value, dict):
        return {key: _with_tuples(one, key) for key, one in value.items()} if name not in OF_CALLERS else value
    return tuple(_with_tuples(one) for one in value) if isinstance(value, list) else value
