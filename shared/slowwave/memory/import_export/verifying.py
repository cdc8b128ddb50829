"""The verification of an export without a database: its ledger must fold to its facts, and its quotes must exist."""

import re
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from slowwave.core.ledger import Belief, Entry, fold
from slowwave.core.time_spans import BEGINNING, END, Span
from slowwave.errors import Incorrect
from slowwave.memory.import_export.counts import MovedCounts
from slowwave.memory.import_export.file_format import MOST_TOLD, checked, lines, value_of

_RANGE = re.compile(r'[\[(]"?([^",]*)"?,"?([^",]*)"?[\])]')


def verify_export(file: Path) -> MovedCounts:
    """Return the counts of an export that is complete and consistent in itself. Needs no database.

    Raises `Incorrect` with every problem: a line that was changed, a ledger that does not fold to the facts, a source
    that quotes what its episode does not have.
    """
    found = checked(file)
    problems: list[str] = []
    scope = _Scope("")
    for _, line in lines(file):
        what, value = value_of(line)
        if what in ("scope", "end"):
            problems += scope.problems()
            scope = _Scope("/".join(str(value.get(name)) for name in ("user_id", "agent", "channel")))
        else:
            scope.take(what, value)
    if problems:
        raise Incorrect.listing(
            f"the file {file.name}", problems[:MOST_TOLD], more=max(0, len(problems) - MOST_TOLD),
            hint="it was changed, or written from a broken memory: run `slowwave check --all` there",
        )  # fmt: skip
    return MovedCounts(found.sum.scopes, dict(found.sum.rows))


@dataclass(slots=True)
class _Scope:
    """The rows of one scope that prove each other."""

    name: str
    facts: set[Belief] = field(default_factory=set)
    ledger: list[Entry] = field(default_factory=list)
    lengths: dict[int, int] = field(default_factory=dict)
    known: set[int] = field(default_factory=set)
    quotes: list[tuple[str, int, int]] = field(default_factory=list)

    def take(self, what: str, row: dict[str, Any]) -> None:
        if what == "episode_keys":
            self.known.add(row["position"])
        elif what == "episodes":
            self.lengths[row["position"]] = len(row["content"])
        elif what == "facts":
            opened, closed = _times(row["recorded"])
            assert opened is not None
            valid, id_ = _span(row["valid"]), uuid.UUID(row["fact"])
            self.facts.add(Belief(id_, row["belief"], valid, opened, closed, row["confidence"]))
        elif what == "deltas":
            replaces = tuple(uuid.UUID(one) for one in row["replaces"])
            valid, recorded = row["valid"] and _span(row["valid"]), _time(row["recorded"])
            assert recorded is not None
            self.ledger.append(
                Entry(uuid.UUID(row["id"]), row["kind"], row["belief"], replaces, valid, recorded, row["confidence"])
            )
            own = [one for one in row["sources"] if one["origin"] is None]
            self.quotes += [(row["id"], one["position"], one["span_end"]) for one in own]

    def problems(self) -> list[str]:
        folded = set(fold(self.ledger))
        found = [
            f"{self.name}: delta {delta} quotes episode {position}, which "
            + ("is not there" if position not in self.known else f"has only {self.lengths[position]} characters")
            for delta, position, end in self.quotes
            if position not in self.known or end > self.lengths.get(position, end)
        ]
        if folded != self.facts:
            missing, spare = len(folded - self.facts), len(self.facts - folded)
            found.append(f"{self.name}: the ledger folds to other facts: {missing} are missing, {spare} are too many")
        return found


def _times(text: str) -> tuple[datetime | None, datetime | None]:
    found = _RANGE.fullmatch(text)
    assert found is not None, text
    return _time(found[1]), _time(found[2])


def _span(text: str) -> Span:
    start, end = _times(text)
    return Span(start or BEGINNING, end or END)


def _time(text: str) -> datetime | None:
    """Return a time as Postgres or JSON writes it; None for an open end."""
    return datetime.fromisoformat(text).astimezone(UTC) if text and "infinity" not in text else None
