"""Work beside the caller: what is counted and written a little later, and what is looked up ahead."""

import weakref
from functools import cached_property
from typing import Protocol

from slowwave.jobs.context import Anticipation
from slowwave.store.database import Database
from slowwave.store.operator.tally import Tally
from slowwave.store.standing.accesses import Accesses
from slowwave.wiring.brought import Scorers


class _Ends(Protocol):
    """A follower of what is learned, until it is closed."""

    def close(self) -> None:
        """End it."""


class Followers:
    """Everyone who hears in this process what is learned, as long as they are there: they end with the memory."""

    def __init__(self) -> None:
        self._there: weakref.WeakSet[_Ends] = weakref.WeakSet()

    def add(self, follower: _Ends) -> None:
        """Have *follower* closed with the others."""
        self._there.add(follower)

    def close(self) -> None:
        """Close them all."""
        for follower in list(self._there):
            follower.close()


class BesideTheCaller:
    """Parts of a process that nobody waits for, and what it asks of packages."""

    @cached_property
    def database(self) -> Database:
        """The way into Postgres."""
        raise NotImplementedError

    @cached_property
    def tally(self) -> Tally:
        """The counters of the statistics."""
        return Tally(self.database)

    @cached_property
    def accesses(self) -> Accesses:
        """The accesses that are counted: what was returned to callers."""
        return Accesses(self.database)

    @cached_property
    def anticipation(self) -> Anticipation:
        """The memories that conversations of this process will likely need next."""
        return Anticipation()

    @cached_property
    def followers(self) -> Followers:
        """Those who hear what is learned."""
        return Followers()

    @cached_property
    def scorers(self) -> Scorers:
        """The scorers of salience that policies name."""
        return Scorers()
