"""`memory.operator()`: the operator's view of an installation: people, runs, pending work and dead letters."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated

from pydantic import Field

from slowwave.domain.arguments import Limit, Name, Number, checked, checked_type
from slowwave.domain.dead_letter import DeadLetter
from slowwave.domain.metrics.overview import Moves, Overview, PastRun, Person, Waiting
from slowwave.domain.model_calls.overview import DeskOverview
from slowwave.domain.night_report.night import NightReport
from slowwave.errors import NotFound
from slowwave.formatting.summary_lines import brief
from slowwave.memory.operations.dead_letters import take_up
from slowwave.memory.verb_group import TheParts
from slowwave.store.night_report.night_report import PostgresNightReports

Letters = Annotated[Sequence[Number], Field(min_length=1)]
Night = Annotated[date, Field(ge=date(1970, 1, 2), le=date(9999, 12, 30))]
Days = Annotated[int, Field(ge=1, le=366)]


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Operator:
    """The queries and actions for an operator of one *tenant*. Reads do not count as access."""

    _parts: TheParts
    tenant: Name

    @checked
    def overview(self) -> Overview:
        """Return the amount of stored data, the state of the work on it, and the pending model calls."""
        return self._parts.records.overview(self.tenant)

    @checked
    def queue(self) -> list[Waiting]:
        """Return each job with pending intents: its name, their number, and the due time of the first."""
        return self._parts.records.queue(self.tenant)

    @checked
    def budget(self) -> DeskOverview:
        """Return the pending model calls, today's spending and budget, and each provider's circuit breaker."""
        return self._parts.records.budget(self.tenant)

    @checked
    def people(self, limit: Limit = 50, *, after: Name | None = None) -> list[Person]:
        """Return up to *limit* people with memories, by name. To continue, pass the last name as *after*."""
        return self._parts.records.people(self.tenant, after=after, most=limit)

    @checked
    def runs(self, limit: Limit = 20, *, before: Number | None = None) -> list[PastRun]:
        """Return the *limit* latest runs of the tenant and of the installation, newest first.

        To continue, pass the number of the last run as *before*.
        """
        return self._parts.records.runs(self.tenant, most=limit, before=before)

    @checked
    def run(self, number: Number) -> PastRun:
        """Return one run. Raises `NotFound`."""
        for one in self._parts.records.runs(self.tenant, most=1, before=number + 1):
            if one.run == number:
                return one
        raise NotFound(f"there is no run {number}", hint="`slowwave runs` lists them")

    @checked
    def night(self, night: Night | None = None) -> NightReport:
        """Return the report of a night, by default the current one, with the trend of earlier nights.

        A night runs from noon to noon, UTC, and is named by the date of its morning.
        """
        return PostgresNightReports(self._parts.database).night(self.tenant, night)

    @checked
    def moves(self, days: Days = 14) -> list[Moves]:
        """Return the moves between tiers on each of the last *days* including today, oldest first."""
        return self._parts.records.moves(self.tenant, days=days)

    @checked
    def dead_letters(
        self, limit: Limit = 100, *, after: Number | None = None, everything: bool = False, reviews: bool = True
    ) -> list[DeadLetter]:
        """Return at most *limit* open dead letters, oldest first; with *everything* also those retried or dropped.

        With *reviews* False, leaves out letters that wait for a person's decision. To continue, pass the last letter's
        number as *after*.
        """
        return self._parts.records.dead_letters(
            self.tenant, state=None if everything else "open", conflicts=None if reviews else False,
            after=after or 0, most=limit,
        )  # fmt: skip

    @checked
    def retry(self, letters: Letters) -> int:
        """Retry open dead letters, by number; return how many.

        Workers process their episodes again; messages that can now be parsed are stored. Raises `NotFound` for numbers
        without an open letter, and `Incorrect` with the letters that cannot be retried or are still malformed.
        """
        return take_up(self._parts, self.tenant, letters)

    @checked
    def drop(self, letters: Letters) -> int:
        """Drop open dead letters, by number; return how many. They stay stored as dropped. Raises `NotFound`."""
        chosen = self._parts.records.open_dead_letters(self.tenant, letters)
        self._parts.records.mark(self.tenant, [letter.letter for letter in chosen], "dropped")
        return len(chosen)

    def __repr__(self) -> str:
        return brief(self, f"tenant {self.tenant}")
