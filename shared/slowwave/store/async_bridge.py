"""The bridge from blocking statements to an event loop: the same code runs on connections of the async driver.

A `spawned` function runs on the loop in a greenlet of its own. While it waits for Postgres it is suspended, and resumes
when the loop has the answer, so no store code is written twice.
"""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from sqlalchemy.util import await_only, greenlet_spawn

T = TypeVar("T")

PLAIN, BRIDGED = "psycopg", "psycopg_async"
"""The drivers of an engine: PLAIN for connections that block, BRIDGED for code that is `spawned`."""


def spawned(work: Callable[[], T]) -> Coroutine[Any, Any, T]:
    """Return a coroutine that runs *work*, which may call `waited_for`."""
    return greenlet_spawn(work)


def waited_for(awaitable: Awaitable[T]) -> T:
    """Return the result of *awaitable*; the loop runs meanwhile. Call it only in `spawned` code."""
    return await_only(awaitable)
