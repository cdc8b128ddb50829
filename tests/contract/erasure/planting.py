"""Words planted in every place that stores a person's words, and a search for them in every row."""

import uuid
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import psycopg
from psycopg import sql

from slowwave.domain.dead_letter import Refused
from slowwave.domain.episode import Episode
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from tests.integration.store.rows import tables

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
TOWN, SPORT, PET, TASK = "Quixelburg", "zorbfencing", "Wumblecat", "flurbnication"
WORDS = (TOWN, SPORT, PET, TASK)
"""Made-up words, each said in another session and stored in other rows."""


def told(name: str, session: str) -> list[Episode]:
    """Return the episodes of two sessions; the first has the town and the pet, the second the sport and the task."""
    first = [
        f"I moved to {TOWN} last week.", f"My cat is called {PET}.", f"I love {PET} and I work at the {TOWN} bakery.",
    ]  # fmt: skip
    second = [f"I started {SPORT} in spring.", f"I really like {SPORT}.", "My sister lives in Bergen."]
    talk = [(f"{session}-one", one) for one in first] + [(f"{session}-two", one) for one in second]
    episodes = [
        Episode(content=one, key=f"{name}-{number}", session=where, occurred_at=MONDAY + timedelta(hours=number),
                speaker=name, metadata={"place": TOWN if where.endswith("one") else SPORT})
        for number, (where, one) in enumerate(talk)
    ]  # fmt: skip
    for number in range(3):
        at = MONDAY + timedelta(days=2, hours=number)
        said = {"tool": f"{TASK}-search", "task": TASK, "success": True, "latency_ms": 3}
        episodes += [
            Episode(content=f"looked for {TASK}", key=f"{name}-call-{number}", session=f"{session}-two", role="tool",
                    kind="tool_call", metadata=said, occurred_at=at),
            Episode(content="done", key=f"{name}-done-{number}", session=f"{session}-two", role="assistant",
                    kind="outcome", metadata={"success": True, "task": TASK}, occurred_at=at + timedelta(minutes=1)),
        ]  # fmt: skip
    return episodes


def live(memory: Memory, user: str, *, tenant: str = "default", session: str = "s") -> MemoryScope:
    """Push the episodes of *user* in a tenant and use every other feature; return the scope."""
    scope = memory.scope(user=user, agent="helper", channel="trip", tenant=tenant)
    for receipt in scope.push_many(told(user, session)):
        assert receipt.error is None
    memory.drain()
    scope.end_session(f"{session}-one")
    scope.end_session(f"{session}-two")
    memory.drain()
    scope.goals.add(f"Find a flat in {TOWN}")
    scope.consensus.store_consensus({
        "topic": f"moving to {TOWN}", "statement": f"{user} moves to {TOWN}", "agents": ["helper"], "confidence": 0.9,
    })  # fmt: skip
    fact = next(one for one in scope.facts() if TOWN in one.text)
    scope.promote(fact.id, reason=f"{TOWN} matters everywhere")
    scope.working(f"{session}-one").add_turn(f"{PET} sleeps on my bed.", key="turn")
    scope.working(f"{session}-two").set(f"{TOWN} trip", {"with": [PET]})
    scope.recall(f"who lives in {TOWN}?", session=f"{session}-one")
    memory.release(scope.hold(f"{user} sues the {TOWN} bakery"), tenant=tenant)
    memory.undo(what_of(scope), by=user, reason=f"{SPORT} was misread in {TOWN}", tenant=tenant)
    memory.drain()
    other = memory.scope(user="Wossname", agent="helper", tenant=tenant)
    other.push("I live in Bergen.", key="home", session="away")
    other.consolidate()
    for mistake in other.facts():
        other.correct(mistake.id, by="an operator", reason=f"{user} moved to {TOWN}, not they")
    bury = parts_of(memory).inbox.bury
    bury([Refused({"user": user, "content": f"{TOWN}?"}, "malformed", "no role")], scope=scope.scope)
    lost = {"tenant": tenant, "user": user, "session": f"{session}-one", "said": TOWN}
    bury([Refused(lost, "malformed", f"not {SPORT}")], scope=None)
    whose = {"user": user, "agent": None, "channel": None}
    parts_of(memory).quotas.set(tenant, "recalls-a-minute", 600, applies="user", user=user)
    parts_of(memory).webhooks.add(tenant, "https://example.org/heard", "whsec_none", ["add"], whose)
    return scope


def what_of(scope: MemoryScope) -> uuid.UUID:
    """Return a delta about the sport."""
    return next(one.id for one in scope.facts() if SPORT in one.text)


def found(admin: psycopg.Connection, words: Iterable[str], *, tenant: str | None = None) -> dict[str, set[str]]:
    """Return the tables and columns that contain one of *words*, of one tenant or of all."""
    hits: dict[str, set[str]] = {}
    searched = sql.SQL(
        "SELECT {}, held.name FROM {} AS one, jsonb_each_text(to_jsonb(one)) AS held (name, told) "
        "WHERE held.told ~* %(pattern)s AND (%(tenant)s::text IS NULL OR one.tenant = %(tenant)s)"
    )
    every = sql.SQL(" UNION ").join(searched.format(table, sql.Identifier(table)) for table in tables(admin))
    for table, column in admin.execute(every, {"pattern": "|".join(words), "tenant": tenant}):
        hits.setdefault(table, set()).add(column)
    return hits
