"""The installation of a benchmark, sample talk, and a store filled in advance."""

import itertools
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
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
_TURNS = (
    "I moved to {place} last month, and the boxes are still everywhere, but the light makes up for it.",
    "That sounds like a lot of work! Did the neighbours help, or did you carry everything upstairs yourselves?",
    "I like {thing}. My mother used to say that it is the only thing that keeps our family sane in the dark months.",
    "The meeting went on for three hours and nobody could say afterwards what was decided or who would write it up.",
    "I work at {work} now; the first week was mostly finding out where everything is and remembering forty new names.",
    "Could you look up the trains for the weekend? Anything after nine is fine as long as nobody has to change twice.",
    "Here is what I found: three trains in the morning, one at noon, and the last one leaves at a quarter past eight.",
    "Honestly, the film was better than the book, although the second half drags and the ending makes no sense at all.",
)
TENANT = "default"
AT_ONCE = 10_000
"""Facts per insert statement. The number is large enough for speed, and small enough for the statement timeout."""
_FILL = """
WITH new AS MATERIALIZED (
    SELECT
        gen_random_uuid() AS fact, scope, number, slowwave_now() - interval '40 days' AS at,
        CASE WHEN %(tree)s AND number %% 2 = 0 THEN 'thing ' || number / 2 ELSE 'user' END AS subject
    FROM unnest(%(scopes)s::uuid[]) AS scope, generate_series(%(first)s::int, %(last)s::int) AS number
),
held AS (
    INSERT INTO beliefs (scope, tenant, digest)
    SELECT scope, slowwave_tenant(), sha256(fact::text::bytea) FROM new
    RETURNING belief, scope, digest
),
opened AS (
    INSERT INTO facts (scope, tenant, fact, belief, subject, predicate, object, single_valued, valid, recorded,
        confidence, rule, position, session, text)
    SELECT new.scope, slowwave_tenant(), new.fact, held.belief, subject, 'likes', 'thing ' || number, false,
        tstzrange(at, NULL), tstzrange(at + number * interval '1 microsecond', NULL), 0.7, 'bench', number, 's',
        subject || ' likes thing ' || number
    FROM new JOIN held ON held.digest = sha256(new.fact::text::bytea)
),
told AS (
    INSERT INTO deltas (id, scope, tenant, pack, rule, kind, mode, position, belief, fact, valid, confidence, recorded,
        fingerprint, payload_digest)
    SELECT fact, new.scope, slowwave_tenant(), 'bench', 'bench', 'add', 'assert', number, belief, fact,
        tstzrange(at, NULL), 0.7, at + number * interval '1 microsecond', digest, sha256(''::bytea)
    FROM new JOIN held ON held.digest = sha256(new.fact::text::bytea)
),
sourced AS (
    INSERT INTO delta_sources (delta, ordinal, tenant, episode, key, position, span_start, span_end)
    SELECT fact, 0, slowwave_tenant(), gen_random_uuid(), 'bench', number, 0, 1 FROM new
)
INSERT INTO standing (scope, memory, tenant, kind, source, tier, base, created)
SELECT scope, fact, slowwave_tenant(), 'semantic', 'inferred', 'warm', 0.7, at FROM new
"""


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
