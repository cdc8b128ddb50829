"""`memory.operator()`: an installation as its operator sees it: people, runs, what waits, what could not be used."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated

from pydantic import Field

from slowwave.brief import brief
from slowwave.domain.arguments import Limit, Name, Number, checked, checked_type
from slowwave.domain.dead_letter import DeadLetter
from slowwave.domain.metrics.overview import Moves, Overview, PastRun, Person, Waiting
from slowwave.domain.model.overview import DeskOverview
from slowwave.domain.nights.night import NightReport
from slowwave.errors import NotFound
from slowwave.memory.face import TheParts
from slowwave.memory.operating.dead_letters import take_up
from slowwave.store.nights.nights import PostgresNights

Letters = Annotated[Sequence[Number], Field(min_length=1)]
Night = Annotated[date, Field(ge=date(1970, 1, 2), le=date(9999, 12, 30))]
Days = Annotated[int, Field(ge=1, le=366)]


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Operator:
    """The questions and the levers of whoever operates the memories of one *tenant*. What is read counts as no use."""

    _parts: TheParts
    tenant: Name

    @checked
    def overview(self) -> Overview:
        """Return how much there is, how far the work on it has come, and what waits for models."""
        return self._parts.records.overview(self.tenant)

    @checked
    def queue(self) -> list[Waiting]:
        """Return the jobs that wait, by name: how many intents of each, and since when the first."""
        return self._parts.records.queue(self.tenant)

    @checked
    def budget(self) -> DeskOverview:
        """Return the requests that wait for models, what was spent today of what budget, each provider's breaker."""
        return self._parts.records.budget(self.tenant)

    @checked
    def people(self, limit: Limit = 50, *, after: Name | None = None) -> list[Person]:
        """Return at most *limit* people of whom anything is remembered, by name. Go on with *after*, the last name."""
        return self._parts.records.people(self.tenant, after=after, most=limit)

    @checked
    def runs(self, limit: Limit = 20, *, before: Number | None = None) -> list[PastRun]:
        """Return the *limit* latest runs of the tenant and of the installation, newest first.

        Go on with *before*, the number of the last one.
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
        """Return what happened in a night, with the trend of those before; in the one that is not over yet if none.

        A night is the day from noon to noon, UTC, named for the morning it ends with.
        """
        return PostgresNights(self._parts.database).night(self.tenant, night)

    @checked
    def moves(self, days: Days = 14) -> list[Moves]:
        """Return the steps between tiers of the ladder on each of the last *days*, oldest first, today among them."""
        return self._parts.records.moves(self.tenant, days=days)

    @checked
    def dead_letters(
        self, limit: Limit = 100, *, after: Number | None = None, everything: bool = False, reviews: bool = True
    ) -> list[DeadLetter]:
        """Return at most *limit* open dead letters, oldest first; with *everything* also those retried or dropped.

        Without *reviews* those are left out that wait for a person to decide. Go on with *after*, the last number.
        """
        return self._parts.records.dead_letters(
            self.tenant, state=None if everything else "open", conflicts=None if reviews else False,
            after=after or 0, most=limit,
        )  # fmt: skip

    @checked
    def retry(self, letters: Letters) -> int:
        """Take open dead letters up again, by their numbers; return how many.

        Their episodes are read again, and messages that can be read by now are stored. Raises `NotFound` for numbers
        that are not open, and `Incorrect` listing what cannot be read again or is still malformed.
        """
        return take_up(self._parts, self.tenant, letters)

    @checked
    def drop(self, letters: Letters) -> int:
        """Lay open dead letters aside, by their numbers; return how many. They stay on record. Raises `NotFound`."""
        chosen = self._parts.records.open_dead_letters(self.tenant, letters)
        self._parts.records.mark(self.tenant, [letter.letter for letter in chosen], "dropped")
        return len(chosen)

    def __repr__(self) -> str:
        return brief(self, f"tenant {self.tenant}")
