"""The verification of an export. Only the check of its signature needs the key of the tenant, and so the database.

The deltas must yield the facts, quotes must be in their episodes, and episodes must match their digests.
"""

import hashlib
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from slowwave.core.ledger import Belief, Entry, fold
from slowwave.core.time_spans import BEGINNING, END, Span
from slowwave.errors import Incorrect
from slowwave.memory.import_export.counts import MovedCounts
from slowwave.memory.import_export.file_format import MALFORMED, MOST_REPORTED, checked, lines, value_of
from slowwave.memory.import_export.signing import KeyOf, SignatureState
from slowwave.store.inbox.digests import possible_digests

WORDS = ("subject", "predicate", "object", "text")
"""The columns in which a fact and its delta must agree. Exports of the oldest versions have no text."""
ERASED = "_erased"
"""The predicate of a fact whose words were erased."""
UNSIGNED: Mapping[SignatureState, str] = {
    "missing": "the file has no signature: an older version wrote it, or somebody removed the signature",
    "unchecked": "the signature was not checked, because the key of the tenant is not at hand",
    "foreign": "the signature was not checked, because it was made with the key of another installation or tenant",
}
"""The reasons why the signature of an export proves nothing."""
_RANGE = re.compile(r'[\[(]"?([^",]*)"?,"?([^",]*)"?[\])]')


@dataclass(frozen=True, slots=True)
class VerifiedExport:
    """A complete and consistent export: its counts, its SHA-256, and whether its signature matches."""

    counts: MovedCounts
    sha256: str
    signature: SignatureState


def verify_export(file: Path, key_of: KeyOf | None = None, *, signed: bool = False) -> VerifiedExport:
    """Verify an export, with the key that *key_of* returns for the tenant of the file, if there is one.

    Raises `Incorrect` with every problem: an unreadable line, a line that was changed after the file was signed, deltas
    that do not yield the facts, a fact that differs from its delta, an episode that differs from its digest, or a
    source whose quote is outside its episode. If *signed* is true, a signature that is missing or cannot be checked is
    a problem too.
    """
    found = checked(file, key_of)
    problems = [UNSIGNED[found.signature]] if signed and found.signature != "valid" else []
    scope, digest = _Scope(""), hashlib.sha256()
    for number, line in lines(file):
        digest.update(line)
        what, value = value_of(line)
        if what in ("scope", "end"):
            problems += scope.problems()
            scope = _Scope("/".join(str(value.get(name)) for name in ("user_id", "agent", "channel")))
        else:
            try:
                scope.take(what, value)
            except MALFORMED:
                problems.append(f"line {number}: {what} cannot be read")
    if problems:
        raise Incorrect.listing(
            f"the file {file.name}", problems[:MOST_REPORTED], more=max(0, len(problems) - MOST_REPORTED),
            hint="somebody changed the file, or the exported memory is broken: run `slowwave check --all` there",
        )  # fmt: skip
    return VerifiedExport(MovedCounts(found.sum.scopes, dict(found.sum.rows)), digest.hexdigest(), found.signature)


@dataclass(slots=True)
class _Scope:
    """The rows of one scope, which are compared with each other.

    *keys* has the row of each episode's key, by position. *fact_words* has the words of each fact, and *delta_words*
    has the words of each delta, or None if they were erased.
    """

    name: str
    facts: set[Belief] = field(default_factory=set)
    ledger: list[Entry] = field(default_factory=list)
    lengths: dict[int, int] = field(default_factory=dict)
    keys: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    quotes: list[tuple[uuid.UUID, int, int]] = field(default_factory=list)
    fact_words: list[tuple[uuid.UUID, Mapping[str, Any]]] = field(default_factory=list)
    delta_words: dict[uuid.UUID, Mapping[str, Any] | None] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def take(self, what: str, row: dict[str, Any]) -> None:
        """Add a row of the table *what*. Raises one of `MALFORMED` for an invalid value."""
        if what == "episode_keys":
            self.keys[_whole(row["position"])] = row
        elif what == "episodes":
            self._take_episode(_whole(row["position"]), row)
        elif what == "facts":
            opened, closed = _times(row["recorded"])
            assert opened is not None
            fact, valid, belief = uuid.UUID(row["fact"]), _span(row["valid"]), _belief(row)
            self.facts.add(Belief(fact, belief, valid, opened, closed, float(row["confidence"])))
            self.fact_words.append((fact, _words(row)))
        elif what == "deltas":
            self._take_delta(uuid.UUID(row["id"]), row)

    def _take_episode(self, position: int, row: dict[str, Any]) -> None:
        self.lengths[position] = len(row["content"])
        key = self.keys.get(position, {})
        occurred, received = _time(row["occurred"]), _time(row["received"])
        assert occurred is not None
        assert received is not None
        said = {name: row[name] for name in ("content", "session", "role", "kind", "metadata")}
        digests = possible_digests(**said, occurred=occurred, received=received)
        if any(row[name] != key[name] for name in ("id", "received", "key") if name in key):
            self.wrong.append(f"episode {position} differs from its key")
        elif key.get("erased") or all(key.get("digest") != f"\\x{digest.hex()}" for digest in digests):
            self.wrong.append(f"episode {position} differs from its digest")

    def _take_delta(self, id_: uuid.UUID, row: dict[str, Any]) -> None:
        replaces = tuple(uuid.UUID(one) for one in row["replaces"])
        valid, recorded = None if row["valid"] is None else _span(row["valid"]), _time(row["recorded"])
        assert recorded is not None
        self.delta_words[id_] = None if row["payload"] is None else _words({**row["payload"]})
        self.ledger.append(Entry(id_, row["kind"], _belief(row), replaces, valid, recorded, float(row["confidence"])))
        for one in row["sources"]:
            start, end, position = (_whole(one[name]) for name in ("span_start", "span_end", "position"))
            if not 0 <= start <= end:
                self.wrong.append(f"delta {id_} quotes characters {start} to {end}")
            if one["origin"] is None:
                self.quotes.append((id_, position, end))

    def problems(self) -> list[str]:
        """Return one sentence per disagreement between the rows."""
        folded = set(fold(self.ledger))
        found = self.wrong + [
            f"delta {delta} quotes episode {position}, which "
            + ("is not there" if position not in self.keys else f"has only {self.lengths[position]} characters")
            for delta, position, end in self.quotes
            if position not in self.keys or end > self.lengths.get(position, end)
        ]
        found += [
            f"fact {fact} differs from its delta"
            for fact, words in self.fact_words
            if _differ(words, self.delta_words.get(fact, words))
        ]
        if folded != self.facts:
            missing, spare = len(folded - self.facts), len(self.facts - folded)
            found.append(f"the ledger yields other facts: {missing} are missing in the file, {spare} are too many")
        return [f"{self.name}: {one}" for one in found]


def _differ(words: Mapping[str, Any], in_delta: Mapping[str, Any] | None) -> bool:
    """Return whether the *words* of a fact differ from the words of its delta, which are None if they were erased."""
    if in_delta is None:
        return bool(words["predicate"] != ERASED)
    return any(words[name] != in_delta.get(name) for name in words if name in in_delta or name != "text")


def _words(row: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: row[name] for name in WORDS if name in row}


def _times(text: str) -> tuple[datetime | None, datetime | None]:
    found = _RANGE.fullmatch(text)
    assert found is not None, text
    return _time(found[1]), _time(found[2])


def _span(text: str) -> Span:
    start, end = _times(text)
    return Span(start or BEGINNING, end or END)


def _whole(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError
    return value


def _belief(row: dict[str, Any]) -> int | None:
    return None if row["belief"] is None else _whole(row["belief"])


def _time(text: str) -> datetime | None:
    """Return the time in *text*, in the format of Postgres or JSON; None for an open end."""
    return datetime.fromisoformat(text).astimezone(UTC) if text and "infinity" not in text else None
