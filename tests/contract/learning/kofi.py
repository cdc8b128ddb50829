"""Kofi, whose beliefs are reconsidered: what he says, what is believed, and what the job decided."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from slowwave.domain.episode import Episode
from slowwave.domain.job_table import RECONSIDER, pack_of
from slowwave.domain.run import Report
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope, due_work
from slowwave.store.beliefs.digest import digest
from tests.conftest import NOON
from tests.contract.harness import Harness, somebody
from tests.contract.summaries.harness import runs


@dataclass
class Kofi:
    """A user of one process."""

    harness: Harness
    scope: Scope = field(default_factory=somebody)

    @property
    def memory(self) -> MemoryScope:
        return MemoryScope(self.harness.parts, self.scope)

    def say(self, *texts: str, day: int = 0) -> None:
        """Push texts as Kofi, and request their consolidation."""
        self.harness.parts.push(
            self.scope,
            [
                Episode(content=text, key=f"{day}-{number}", session=f"s{day}", speaker="Kofi",
                        occurred_at=NOON + timedelta(days=day, minutes=number))
                for number, text in enumerate(texts)
            ],
        )  # fmt: skip
        due_work.fire(self.harness.parts, self.scope.id)

    def tell(self, *texts: str, day: int = 0, ask: bool = True) -> None:
        """Push texts as Kofi, and do all work that is due by day."""
        self.say(*texts, day=day)
        self.work(ask=ask)

    def tell_daily(self, texts: Sequence[str], drained: Sequence[int]) -> None:
        """Push a text a day, and do all due work on the days *drained*."""
        for day, text in enumerate(texts):
            self.say(text, day=day)
            if day in drained:
                self.harness.drain()

    def night(self, *, ask: bool = True) -> list[Report]:
        """Run the nightly work; return the runs that reconsidered beliefs."""
        self.fire()
        return [report for report in self.work(ask=ask) if report.job == RECONSIDER]

    def pass_night(self) -> None:
        """Do the due work, then let the job run as at night."""
        self.work()
        self.night()

    def fire(self) -> int:
        """Make the job due, as its schedule does."""
        return self.harness.parts.schedule.fire_job(RECONSIDER, pack_of(RECONSIDER), by="test")

    def work(self, *, ask: bool = True) -> list[Report]:
        """Do all due work, with or without calls of a model."""
        return Memory(self.harness.parts).drain() if ask else runs(self.harness.parts)

    def believed(self) -> list[str]:
        return sorted(
            fact.text for fact in self.harness.parts.records.facts(self.scope, as_of=NOON + timedelta(days=9))
        )

    def decided(self) -> list[tuple[object, ...]]:
        """Return the decisions of the job: kind, rule, and the cited episodes."""
        return self.harness.rows(
            "SELECT kind, rule, (SELECT array_agg(s.key ORDER BY s.ordinal) FROM delta_sources s WHERE s.delta = d.id) "
            "FROM deltas d WHERE scope = %s AND pack = '_reconsider' ORDER BY recorded", self.scope.id,
        )  # fmt: skip

    def digest(self) -> object:
        with self.harness.parts.database.tenant(self.scope.tenant) as connection:
            return digest(connection, self.scope.id)
