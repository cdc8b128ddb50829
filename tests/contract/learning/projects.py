"""A project channel and the `_global` of the same agent: told facts, their prominence, and promotions."""

import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from slowwave.domain.episode import Episode
from slowwave.domain.fact import Fact
from slowwave.domain.job_table import PROMOTE
from slowwave.domain.run import Run
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.memory import MemoryScope, due_work
from tests.conftest import NOON
from tests.contract.harness import Harness, somebody

PACK = "_promote"


@dataclass
class Project:
    """An agent that learns about one user in a project channel; its facts may be promoted to the global channel."""

    harness: Harness
    scope: Scope = field(default_factory=lambda: replace(somebody(), channel="trip"))
    told: int = 0

    @property
    def memory(self) -> MemoryScope:
        return MemoryScope(self.harness.parts, self.scope)

    @property
    def everywhere(self) -> MemoryScope:
        return self.memory.in_channel(GLOBAL_CHANNEL)

    def beside(self, channel: str) -> "Project":
        """Return another channel of the same agent and user."""
        return Project(self.harness, replace(self.scope, channel=channel), self.told)

    def tell(self, *sentences: str, session: str = "s1", at: datetime | None = None, everywhere: bool = False) -> None:
        """Push a sentence to the channel or to `_global`, a minute after the last, and consolidate it."""
        scope = self.everywhere if everywhere else self.memory
        for sentence in sentences:
            self.told += 1
            occurred = at or NOON + timedelta(minutes=self.told)
            scope.push(Episode(content=sentence, key=f"{sentence} {self.told}", session=session, occurred_at=occurred))
        scope.consolidate()

    def known(self) -> Sequence[Fact]:
        """Return the global facts as an operator sees them: a read by an agent would count as an access."""
        return self.harness.parts.records.facts(self.everywhere.scope)

    def believed(self) -> list[str]:
        """Return the facts of `_global`, in the same form."""
        return [fact.text for fact in self.known()]

    def fact(self, text: str) -> Fact:
        """Return the channel's fact with the text *text*, without counting an access."""
        (found,) = [fact for fact in self.harness.parts.records.facts(self.scope) if fact.text == text]
        return found

    def prominent(self, text: str, *, accesses: int = 5) -> uuid.UUID:
        """Recall a fact of the channel that many times; return its id."""
        fact = self.fact(text).id
        self.harness.rows(
            "UPDATE standing SET access_count = %s, promote_due = slowwave_now() WHERE memory = %s", accesses, fact
        )
        return fact

    def living(self, text: str = "Oslo") -> uuid.UUID:
        """Store a home that qualifies for promotion in the channel; return the fact's id."""
        self.tell(f"I live in {text}", session="s1")
        self.tell(f"I live in {text}", session="s2")
        return self.prominent(f"The user lives in {text}")

    def promote(self) -> Counter[str]:
        """Fire the promotion schedule, and do the due runs; return their counts."""
        self.harness.parts.schedule.fire_job(PROMOTE, PACK, by="test")
        return self.work()

    def work(self) -> Counter[str]:
        """Do the due promotion runs; return their counts."""
        before = self.harness.value("SELECT coalesce(max(run), 0) FROM runs")
        while report := due_work.run_next(
            self.harness.parts, owner="test", scope=self.everywhere.scope.id, only=[PROMOTE]
        ):
            assert report.outcome == "ok", report
        counts: Counter[str] = Counter()
        for (told,) in self.harness.rows("SELECT counts FROM runs WHERE run > %s AND job = 'promote'", before):
            counts.update(told)
        return +counts

    def claimed(self, owner: str = "ann") -> Run:
        """Claim a promoting run."""
        self.harness.parts.schedule.fire_job(PROMOTE, PACK, by="test")
        return self.harness.claimed(owner, scope=self.everywhere.scope, jobs=[PROMOTE])

    def live(self) -> int:
        """Return the number of promotions in force."""
        target = self.everywhere.scope.id
        return int(self.harness.value("SELECT count(*) FROM promotions WHERE target = %s AND undone IS NULL", target))
