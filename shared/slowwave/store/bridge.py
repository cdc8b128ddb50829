"""The bridge from statements that wait to a loop that does not: the same code, on connections of the async driver.

A function that is `spawned` runs on the loop in a greenlet of its own. Where it waits for Postgres it is put aside, and
goes on when the loop has the answer: nothing of the store is written twice.
"""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from sqlalchemy.util import await_only, greenlet_spawn

T = TypeVar("T")

PLAIN, BRIDGED = "psycopg", "psycopg_async"
"""The drivers of an engine: whose connections wait, or whose connections what is `spawned` waits for."""


def spawned(work: Callable[[], T]) -> Coroutine[Any, Any, T]:
    """Return a coroutine that does *work*, in which `waited_for` may be called."""
    return greenlet_spawn(work)


def waited_for(awaitable: Awaitable[T]) -> T:
    """Return what *awaitable* comes to; the loop runs meanwhile. Called by what is `spawned`."""
    return await_only(awaitable)
