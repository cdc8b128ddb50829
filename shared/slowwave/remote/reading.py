"""Answers as the library's own values, read back from JSON; and what only stands beside the database."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from slowwave.errors import Incorrect
from slowwave.remote.wire import Wire

T = TypeVar("T")
PAGE = 1_000
"""As many of a list as one request asks for."""


OF_CALLERS = frozenset({"metadata", "fact_payload"})
"""Fields in which any JSON may stand."""


class OutOfReach(Incorrect, AttributeError):
    """A verb, or an argument of one, that is there only where the database is."""


def out_of_reach(name: str) -> OutOfReach:
    """Return the error that *name* cannot be asked for over HTTP."""
    return OutOfReach(
        f"{name} is not there over HTTP: it works beside the database",
        hint="use Memory.connect with the address of Postgres for that, or the `slowwave` command on the server",
    )


def only(**said: Any) -> None:
    """Raise `OutOfReach` naming the arguments that were *said* and that no request carries."""
    if names := [name for name, value in said.items() if value]:
        raise out_of_reach(", ".join(names))


_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}
"""What reads each type: making one takes milliseconds."""


def read(kind: type[T], value: Any) -> T:
    """Return the *kind* that *value* is as JSON. Raises `Incorrect` where a server of another version wrote it."""
    try:
        adapter = _ADAPTERS.get(kind) or _ADAPTERS.setdefault(kind, TypeAdapter(kind))
        found: T = adapter.validate_python(_unchanging(value), strict=False)
    except ValidationError as error:
        raise Incorrect(
            f"the server's answer is no {getattr(kind, '__name__', 'answer')} as this version knows it",
            problems=[f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_url=False)[:5]],
            hint="let client and server be of the same version",
        ) from None
    return found


def listed(kind: type[T], found: Mapping[str, Any]) -> list[T]:
    """Return the items of a page."""
    return [read(kind, one) for one in found["items"]]


def paged(
    wire: Wire, of: type[T], path: str, /, *, limit: int | None, cursor: str = "after", **query: Any
) -> Iterator[T]:
    """Give what *path* lists, page after page, up to *limit*: a cursor is nobody's concern."""
    left = limit
    while left is None or left > 0:
        found = wire.get(path, limit=PAGE if left is None else min(PAGE, left), **query)
        yield from listed(of, found)
        if found.get("next") is None:
            return
        query[cursor] = found["next"]
        left = None if left is None else left - len(found["items"])


def _unchanging(value: Any, name: str = "") -> Any:
    """Return *value* with tuples for lists, as values of the library have them; what is a caller's own stays."""
    if isinstance(value, dict):
        return {key: _unchanging(one, key) for key, one in value.items()} if name not in OF_CALLERS else value
    return tuple(_unchanging(one) for one in value) if isinstance(value, list) else value
