"""The installation of a benchmark, sample talk, and a store filled in advance."""

import itertools
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.store.inbox.stored_episodes import create_scopes
from slowwave.wiring import Settings

_BEGINNING = datetime(2026, 1, 5, 8, tzinfo=UTC)
_PLACES = ("Lisbon", "Oslo", "Porto", "Bergen", "Riga", "Turin", "Ghent", "Malmö", "Graz", "Cork")
_THINGS = ("green tea", "long walks", "old maps", "jazz", "rye bread", "chess", "rowing", "films", "plums", "rain")
_WORK = ("a bakery", "Nordlys Energy", "the city library", "a small law firm", "Havn Logistics")
_TURNS = Path(__file__).with_name("sample_turns.txt").read_text(encoding="utf-8").splitlines()
TENANT = "default"
AT_ONCE = 10_000
"""Facts per insert statement. The number is large enough for speed, and small enough for the statement timeout."""
_FILL = Path(__file__).with_name("filled_store.sql").read_text(encoding="utf-8")


@contextmanager
def installed(url: str, owner_url: str, **settings: Any) -> Iterator[wiring.Parts]:
    """Yield the parts of an installation on a new database, with registered packs."""
    wiring.migrate_database(owner_url)
    parts = wiring.connect(Settings.load(url=url, **settings))
    try:
        wiring.register(parts)
        yield parts
    finally:
        parts.close()


def episodes(count: int, *, prefix: str = "e") -> Iterator[Episode]:
    """Return *count* episodes, one minute apart, identical each time."""
    turns = itertools.cycle(_TURNS)
    for number, turn in zip(range(count), turns, strict=False):
        yield Episode(
            content=turn.format(
                place=_PLACES[number // 8 % len(_PLACES)],
                thing=f"{_THINGS[number // 8 % len(_THINGS)]} number {number // 80}",
                work=_WORK[number // 8 % len(_WORK)],
            ),
            key=f"{prefix}{number}",
            session=f"s{number // 40}",
            role="assistant" if number % 8 in (1, 6) else "user",
            occurred_at=_BEGINNING + timedelta(minutes=number),
        )


def fill(parts: wiring.Parts, *, scopes: int, facts: int, channel: str = "project", tree: bool = False) -> list[Scope]:
    """Fill *scopes* scopes with *facts* facts each; return the scopes.

    The facts are inferred, 40 days old, and never recalled.

    The benchmark later sets the times at which jobs must look at the facts. All facts are about the user. With *tree*,
    every second fact is about another entity.
    """
    made = [Scope(TENANT, f"user-{number}", "bench", channel) for number in range(scopes)]
    _bear(parts, made)
    many = max(1, AT_ONCE // facts)
    for start in range(0, scopes, many):
        part = [scope.id for scope in made[start : start + many]]
        for first in range(1, facts + 1, AT_ONCE):
            _write(parts, part, first, min(facts, first + AT_ONCE - 1), tree)
    return made


def _bear(parts: wiring.Parts, scopes: Sequence[Scope]) -> None:
    for start in range(0, len(scopes), 1000):
        with parts.database.tenant(TENANT) as connection:
            create_scopes(connection, scopes[start : start + 1000])


def _write(parts: wiring.Parts, scopes: Sequence[uuid.UUID], first: int, last: int, tree: bool) -> None:
    with parts.database.tenant(TENANT) as connection:
        connection.exec_driver_sql(_FILL, {"scopes": list(scopes), "first": first, "last": last, "tree": tree})
