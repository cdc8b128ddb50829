"""Ninety days of three users and their agents, on a virtual clock with the real jobs."""

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg

from slowwave.domain.episode import Episode, EpisodeKind
from slowwave.memory import Memory, due_work
from slowwave.testing import stop_clock
from slowwave.wiring import Parts

START = datetime(2026, 1, 5, tzinfo=UTC)  # a Monday
USERS = ("nora", "tomasz", "amina")
AGENT = "concierge"
PROJECT = "trip"
CITIES = ("Lisbon", "Oslo", "Porto", "Bergen")
FOODS = ("rye bread", "miso soup", "mango", "lentils", "blue cheese", "oat milk", "figs", "kimchi")

_TABLES = b"""
SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
    AND NOT relispartition AND relname NOT IN ('alembic_version', 'test_clock') ORDER BY 1
"""
_BEFORE = ("I grew up in Ghent.", "I have a sister called Lea.", "I am allergic to walnuts.")
"""Texts that were said to another system forty days earlier, and imported."""


@dataclass
class Quarter:
    """The quarter: *memory* and its *parts* on a database whose clock *owner_url* may stop."""

    memory: Memory
    parts: Parts
    owner_url: str
    superuser_url: str
    keys: Iterator[int] = field(default_factory=itertools.count)
    outcomes: Counter[str] = field(default_factory=Counter)
    jobs: Counter[str] = field(default_factory=Counter)
    story: list[str] = field(default_factory=list)

    def live(self, days: int) -> None:
        """Simulate so many days and nights."""
        self.at(START)
        for user in USERS:
            self.memory.scope(user, agent=AGENT).push_many(self.say(START - timedelta(days=40), "before", *_BEFORE))
        self.night()
        for day in range(days):
            self.today(day)
            self.at(START + timedelta(days=day + 1, hours=3, minutes=30))
            self.night()
            if (day + 1) % 30 == 0:
                self.story.append(self.chapter(day + 1))

    def rest(self, after: int, days: int) -> None:
        """Simulate so many nights from day *after* on, without episodes."""
        for day in range(after, after + days):
            self.at(START + timedelta(days=day + 1, hours=3, minutes=30))
            self.night()

    def sizes(self) -> dict[str, int]:
        """Return the number of rows of every table."""
        with psycopg.connect(self.superuser_url) as connection:
            names = [name for (name,) in connection.execute(_TABLES)]
        return {name: self.value(f"SELECT count(*) FROM {name}") for name in names}

    def at(self, instant: datetime) -> None:
        """Set the database's clock to *instant*."""
        stop_clock(self.owner_url, instant)

    def today(self, day: int) -> None:
        """Simulate a day of every user: talk, tasks with tools, and recalls by agents."""
        noon = START + timedelta(days=day, hours=9)
        self.at(noon)
        for number, user in enumerate(USERS):
            self.tell(user, number, day, noon)
        self.drain()
        for user in USERS:
            self.ask(user)

    def tell(self, user: str, number: int, day: int, noon: datetime) -> None:
        home = self.memory.scope(user, agent=AGENT)
        trip = self.memory.scope(user, agent=AGENT, channel=PROJECT)
        session = f"d{day}"
        home.push_many(self.say(noon, session, *_talk(number, day)))
        if day % 3 == number:
            trip.push_many(self.say(noon, session, *_plans(day)))
            trip.push_many(self.task(noon, session, failed=day % 11 == 0))

    def ask(self, user: str) -> None:
        home = self.memory.scope(user, agent=AGENT)
        trip = self.memory.scope(user, agent=AGENT, channel=PROJECT)
        for _ in range(2):
            for found in trip.recall("Which seat do I like on trains?", limit=2)[:1]:
                trip.feedback(found, useful=True)
        home.recall("Where do I live?", limit=2)

    def say(self, noon: datetime, session: str, *sentences: str) -> list[Episode]:
        return [
            Episode(content=one, key=f"e{next(self.keys)}", session=session, occurred_at=noon + timedelta(minutes=i))
            for i, one in enumerate(sentences)
        ]

    def task(self, noon: datetime, session: str, *, failed: bool) -> list[Episode]:
        calls: list[tuple[EpisodeKind, dict[str, Any]]] = [
            ("tool_call", {"tool": tool, "success": True, "latency_ms": 120.0, "task": "book a train"})
            for tool in ("search", "compare", "book")
        ]
        ends: list[tuple[EpisodeKind, dict[str, Any]]] = [("outcome", {"success": not failed, "task": "book a train"})]
        return [
            Episode(
                content=f"{kind} {told.get('tool', '')}", key=f"e{next(self.keys)}", session=session,
                role="tool", kind=kind, occurred_at=noon + timedelta(hours=1, seconds=i), metadata=told,
            )
            for i, (kind, told) in enumerate([*calls, *ends])
        ]  # fmt: skip

    def night(self) -> None:
        """Fire the due schedules, and do the work."""
        due_work.tick(self.parts, by="scheduler")
        self.drain()

    def drain(self) -> None:
        for report in self.memory.drain():
            self.outcomes[report.outcome] += 1
            self.jobs[report.job] += 1
        while due_work.deliver_next(self.parts) is not None:
            pass

    def chapter(self, day: int) -> str:
        """Return a line about the rows after *day* days."""
        kept = self.value("SELECT count(*) FROM facts WHERE upper_inf(recorded) AND valid @> slowwave_now()")
        faded = self.value("SELECT count(*) FROM deltas WHERE rule LIKE 'decay/%'")
        promoted = self.value("SELECT count(*) FROM promotions WHERE undone IS NULL")
        archived = self.value("SELECT count(*) FROM conversations WHERE archived IS NOT NULL")
        moves = self.value("SELECT count(*) FROM tier_moves")
        learned = self.value("SELECT count(*) FROM strategies WHERE fact IS NOT NULL")
        return (
            f"day {day}: {kept} facts kept, {faded} faded, {promoted} promoted, {archived} conversations archived, "
            f"{moves} tier moves, {learned} strategies learned"
        )

    def value(self, query: str) -> int:
        with psycopg.connect(self.superuser_url) as connection:
            row = connection.execute(query.encode()).fetchone()
        assert row is not None
        return int(row[0])


def _talk(number: int, day: int) -> list[str]:
    said = [f"I like {FOODS[(day + number) % len(FOODS)]}."]
    if day % 30 == 10 * number:
        said.append(f"I moved to {CITIES[(day // 30 + number) % len(CITIES)]}.")
    if day % 10 == 5:
        said.append(f"I might try {FOODS[(day * 3 + number) % len(FOODS)]} cake number {day} some time.")
    if day == 45:
        said.append(f"Please forget that I like {FOODS[number]}.")
    said.append("What is the weather like today?")
    return said


def _plans(day: int) -> list[str]:
    return ["I prefer window seats on trains.", f"The meeting of week {day // 7} is in {CITIES[day % len(CITIES)]}."]
