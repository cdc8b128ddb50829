"""The words that one call of an agent stores, counted where they are written. Jobs store words without a count."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

_KEY = "slowwave.words"


@contextmanager
def counted(connection: Connection) -> Iterator[list[int]]:
    """Give a list to which `note` adds one size in bytes for each write of *connection* in the block."""
    info = connection.info  # a connection that was lost in the block gives its info no more
    sizes = info[_KEY] = list[int]()
    try:
        yield sizes
    finally:
        info.pop(_KEY, None)


def note(connection: Connection, *words: str | bytes | None) -> None:
    """Count one write with these *words*, if a `counted` block is open."""
    sizes = connection.info.get(_KEY)
    if sizes is not None:
        sizes.append(sum(len(one.encode() if isinstance(one, str) else one) for one in words if one))
