"""`memory.operator()` over HTTP."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from slowwave.domain.arguments import Instance, Limit, Number, checked, checked_type
from slowwave.domain.dead_letter import DeadLetter
from slowwave.domain.metrics.overview import Overview, PastRun, Waiting
from slowwave.domain.model_calls.overview import DeskOverview
from slowwave.formatting.summary_lines import brief
from slowwave.remote.http import HttpConnection, at
from slowwave.remote.responses import only, out_of_reach, paged, read

Letters = Annotated[Sequence[Number], Field(min_length=1)]
TheWire = Instance[HttpConnection]
BESIDE_THE_DATABASE = frozenset({"drop", "moves", "night", "people", "tenant"})
"""The verbs of an operator that work only with the database, not over HTTP."""


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class RemoteOperator:
    """The queries and actions for an operator of a key's tenant, on a server."""

    _wire: TheWire

    @checked
    def overview(self) -> Overview:
        """Return the amount of stored data, the state of the work on it, and the pending model calls."""
        return read(Overview, self._wire.get("/v1/status"))

    @checked
    def queue(self) -> list[Waiting]:
        """Return each job with pending intents: its name, their number, and the due time of the first."""
        return [read(Waiting, one) for one in self._wire.get("/v1/intents")["items"]]

    @checked
    def budget(self) -> DeskOverview:
        """Return the pending model calls, today's spending and budget, and each provider's circuit breaker."""
        return read(DeskOverview, self._wire.get("/v1/budget"))

    @checked
    def runs(self, limit: Limit = 20, *, before: Number | None = None) -> list[PastRun]:
        """Return the *limit* latest runs of the tenant and of the installation, newest first."""
        return list(paged(self._wire, PastRun, "/v1/runs", limit=limit, cursor="before", before=before))

    @checked
    def run(self, number: Number) -> PastRun:
        """Return one run. Raises `NotFound`."""
        return read(PastRun, self._wire.get(at("v1", "runs", number)))

    @checked
    def dead_letters(
        self, limit: Limit = 100, *, after: Number | None = None, everything: bool = False, reviews: bool = True
    ) -> list[DeadLetter]:
        """Return at most *limit* open dead letters, oldest first; with *everything* also those retried or dropped."""
        only(reviews=not reviews)
        return list(paged(
            self._wire, DeadLetter, "/v1/dead-letters", limit=limit, after=after, everything=everything
        ))  # fmt: skip

    @checked
    def retry(self, letters: Letters) -> int:
        """Retry open dead letters, by number; return how many. Raises `NotFound` and `Incorrect`."""
        fields = {"letters": list(letters)}
        retried: int = self._wire.post("/v1/dead-letters/retry", fields, again=False)["retried"]
        return retried

    def __getattr__(self, name: str) -> Any:
        """Raise `OutOfReach` for a verb that works only with the database."""
        if name in BESIDE_THE_DATABASE:
            raise out_of_reach(f"operator.{name}")
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")

    def __repr__(self) -> str:
        return brief(self, self._wire.url)
