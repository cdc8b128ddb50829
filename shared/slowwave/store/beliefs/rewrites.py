"""The versions of facts that a run's decisions end (close) and add (open) in the fact table."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection

from slowwave.core.fold import Decision, Version
from slowwave.errors import Conflict
from slowwave.store.direct import ask
from slowwave.store.statements import sql


@dataclass(slots=True)
class Opened:
    """A version that this run opened, with the time at which the run closed the version again, if it did."""

    version: Version
    opened: datetime
    closed: datetime | None = None


@dataclass(slots=True)
class Rewrites:
    """The versions of facts that decisions of a run end (*closed*) and add (*opened*), with their recorded times."""

    closed: dict[int, datetime] = field(default_factory=dict)
    opened: list[Opened] = field(default_factory=list)
    fresh: dict[Version, Opened] = field(default_factory=dict)

    def take(self, decision: Decision, at: datetime) -> None:
        """Add the versions that *decision* closes and opens *at* a recorded time."""
        for version in decision.closes:
            if version.row is not None:
                self.closed[version.row] = at
            else:
                self.fresh.pop(version).closed = at
        for version in decision.opens:
            entry = Opened(version, at)
            self.opened.append(entry)
            self.fresh[version] = entry


def close(connection: Connection, scope: uuid.UUID, rewrites: Rewrites) -> Callable[[], None]:
    """Close the versions in `rewrites.closed`; return a function that raises `Conflict` if one was already closed."""
    if not rewrites.closed:
        return lambda: None
    rows = ask(
        connection,
        sql("beliefs/apply_close"),
        {"scope": scope, "versions": list(rewrites.closed), "at": list(rewrites.closed.values())},
    )

    def check() -> None:
        if rows().rowcount != len(rewrites.closed):
            raise Conflict("a fact to be replaced was replaced by another run meanwhile", hint="read again and decide")

    return check
