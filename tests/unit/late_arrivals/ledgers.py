"""A ledger in memory, which stores decisions and reads them again for late claims, as the store does."""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import pytest

from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.references import TurnOrder, turn_order
from slowwave.core.contradiction.reported_changes import is_news
from slowwave.core.fold import Decision, Fold, Version, plain_id
from slowwave.core.late_arrivals.history import Past, RecordedClaim
from slowwave.core.late_arrivals.late_claims import (
    Since,
    again,
    backfilled_positions,
    claims_since,
    fold_before,
    swap,
    takes_back,
)
from slowwave.core.late_arrivals.placement import Folded, Refolded, Undoing, fold_in_place, fold_without
from slowwave.core.late_arrivals.rewriting import memory
from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Claim
from tests.unit.core.histories import NOON, REGISTERED

TICK = timedelta(microseconds=1)
NEWSY = pytest.mark.parametrize("newsy", [False, True], ids=["claims", "claims and news"])
"""Histories of claims alone, and histories with news that is stored."""


@dataclass
class Row:
    """One decision in the ledger."""

    decision: Decision
    recorded: datetime
    run: int

    @property
    def root(self) -> uuid.UUID:
        """The decision that this one replaces, else its own id."""
        return self.decision.again or self.decision.id

    @property
    def place(self) -> datetime:
        """The time at which its claim was told."""
        return self.decision.place or self.recorded


@dataclass
class Kept:
    """A version with the period in which it was believed."""

    version: Version
    opened: datetime
    closed: datetime | None = None


@dataclass
class Ledger:
    """All decisions, in the order of recording."""

    rows: list[Row] = field(default_factory=list)
    versions: list[Kept] = field(default_factory=list)
    reviews: dict[uuid.UUID, Row] = field(default_factory=dict)
    settled: dict[uuid.UUID, Row] = field(default_factory=dict)
    now: datetime = NOON
    run: int = 0
    predicates: Predicates = REGISTERED
    undone: set[uuid.UUID] = field(default_factory=set)
    undos: list[tuple[datetime, datetime]] = field(default_factory=list)
    told: list[Claim] = field(default_factory=list)
    replays: int = 0

    def tell(self, claims: Sequence[Claim]) -> None:
        """Fold *claims* over the held facts, as one run."""
        fold = replace(self.fold(), turn_order=self._telling(claims))
        self.write([decision for claim in claims for decision in fold.decide(claim)])

    def tell_late(self, claims: Sequence[Claim]) -> Folded:
        """Fold *claims* at their place in time."""
        places = self._places(claims)
        if not places:
            self.tell(claims)
            return Folded([])
        folded = fold_in_place(replace(self._past(self._widened(min(places.values()))), places=places), claims)
        self.write(folded.decisions)
        for settled in folded.settled:
            del self.reviews[settled]
        return folded

    def undo(self, runs: Collection[int]) -> Refolded:
        """Remove the claims of some runs."""
        out = {row.decision.id for row in self._first() if row.run in runs}
        return self._undo(out, Undoing(uuid.uuid4(), "undone by Anna", out=out))

    def redo(self, runs: Collection[int]) -> Refolded:
        """Restore the claims of some undone runs."""
        back = {row.decision.id for row in self._first() if row.run in runs}
        return self._undo(back, Undoing(uuid.uuid4(), "", back=back))

    def replay(self, claims: Sequence[Claim]) -> Refolded:
        """Replace all claims by *claims*, in order of position."""
        self.replays += 1
        past = self._past(NOON)
        recorded = [replace(one, occurred=NOON) for one in past.since if isinstance(one, RecordedClaim)]
        occurred = dict.fromkeys((one.source.position for one in (*claims, *(each.claim for each in recorded))), NOON)
        change = swap(recorded, claims, occurred=occurred, settled=[], pack="", derive=plain_id, number=self.replays)
        out = {id_ for entry in change.gone for id_ in entry.ids}
        return self._undo(out, Undoing(uuid.uuid4(), "", out=out, fresh=change.fresh), first=NOON)

    def _undo(self, ids: set[uuid.UUID], undoing: Undoing, first: datetime | None = None) -> Refolded:
        if not ids and not undoing.fresh:
            return Refolded()
        first = first or min(row.place for row in self._first() if row.decision.id in ids)
        refolded = fold_without(self._past(self._widened(first)), undoing)
        self.write(refolded.decisions)
        for settled in refolded.settled:
            self.settled[settled] = self.reviews.pop(settled)
        self.undone = (self.undone | {*undoing.out}) - {*undoing.back}
        self.undos.append((first, self.now))
        return refolded

    def _first(self) -> list[Row]:
        kept = [*self.rows, *self.reviews.values(), *self.settled.values()]
        return [row for row in kept if not row.decision.again]

    def _widened(self, since: datetime) -> datetime:
        last = {row.run: row.recorded for row in self.rows}
        late = [(row.decision.place, last[row.run]) for row in self.rows if row.decision.place] + self.undos
        while earlier := [place for place, end in late if place < since <= end]:
            since = min(earlier)
        return since

    def tell_by_time(self, claims: Sequence[Claim]) -> None:
        """Fold the *claims* of one episode, which occurred at their valid time: late claims before later news."""
        (position, at), *_ = {claim.source.position: claim.valid_from for claim in claims}.items()
        newest = max((claim.valid_from for claim in self.told), default=None)
        since = self._since(claims) if backfilled_positions({position: at}, newest) else []
        folded = self._fold_before(claims, since) if since else None
        if folded is None:
            self.tell(claims)
        else:
            self.write(folded.decisions)
            for settled in folded.settled:
                del self.reviews[settled]
        self.told += claims

    def _since(self, claims: Sequence[Claim]) -> list[Since]:
        matters = Matters(self.predicates)
        rows = [
            row
            for row in [*self.rows, *self.reviews.values()]
            if row.decision.original_claim and not row.decision.again
        ]
        known = [
            Since(claim, claim.valid_from, row.place, row.decision.kind == "review")
            for row in rows
            if (claim := row.decision.original_claim) and takes_back(row.decision.claim)
        ]  # fmt: skip
        passed = [Since(news, news.valid_from) for news in again(self.told, claims, known, matters)]
        told, fold = [*known, *passed], replace(self.fold(), turn_order=self._telling(claims))
        since = [one for claim in claims for one in claims_since(claim, claim.valid_from, told, matters, fold)]
        return list(dict.fromkeys(since))

    def _telling(self, claims: Sequence[Claim] = ()) -> TurnOrder:
        """Return the order of the turns by time, with those of *claims*."""
        at = {one.source.position: one.valid_from for one in (*self.told, *claims)} if self.told else {}
        return turn_order(sorted(at, key=lambda position: (at[position], position)))

    def _fold_before(self, claims: Sequence[Claim], since: Sequence[Since]) -> Folded | None:
        passed = [one.claim for one in since if one.place is None]
        places = self._places(passed, itself=True)
        first = min([*places.values(), *(one.place for one in since if one.place)], default=self.now + TICK)
        places = {claim.source.position: places.get(claim.source.position, first) for claim in (*passed, *claims)}
        past = replace(self._past(self._widened(first)), turn_order=self._telling(claims))
        return fold_before(replace(past, places=places), claims, claims[0].valid_from, since)

    def write(self, decisions: Sequence[Decision]) -> None:
        """Append the *decisions* of a run, with increasing times."""
        self.run += 1
        for decision in decisions:
            self.now += TICK
            if decision.kind == "review":
                self.reviews[decision.id] = Row(decision, self.now, self.run)
                continue
            assert decision.id not in {row.decision.id for row in self.rows}
            self.rows.append(Row(decision, self.now, self.run))
            for version in decision.closes:
                (kept,) = [kept for kept in self.versions if kept.closed is None and kept.version == version]
                kept.closed = self.now
            self.versions += [Kept(version, self.now) for version in decision.opens]

    def held(self) -> list[Version]:
        """Return the open versions."""
        return [kept.version for kept in self.versions if kept.closed is None]

    def fold(self) -> Fold:
        """Return the fold that the next run loads."""
        fold = self._remembering(self.now + TICK)
        fold.hold(self.held())
        said_again, fold.confirmed = fold.confirmed, {}
        for version in self.held():
            fold.confirmed[version.fact] = said_again.get(self._roots().get(version.fact, version.fact), [])
        return fold

    def _places(self, claims: Sequence[Claim], *, itself: bool = False) -> dict[int, datetime]:
        rows = [row for row in [*self.rows, *self.reviews.values()] if not row.decision.again]
        places = {}
        for position in {claim.source.position for claim in claims}:
            first = position if itself else position + 1
            after = [row.place for row in rows if row.decision.claim.source.position >= first]
            if after:
                places[position] = min(after)
        return places

    def _past(self, since: datetime) -> Past:
        rows = [row for row in self.rows if row.recorded >= since and not row.decision.again]
        rows += [row for row in self.reviews.values() if row.place >= since]
        rows += [row for row in self.settled.values() if row.place >= since and row.decision.id in self.undone]
        ids: dict[Claim, set[uuid.UUID]] = {}
        for row in rows:
            if row.decision.original_claim:
                ids.setdefault(row.decision.original_claim, set()).add(row.decision.id)
        told = {
            row.decision.original_claim: RecordedClaim(
                row.decision.original_claim,
                plain_id,
                row.place,
                ids=frozenset(ids[row.decision.original_claim]),
                occurred=row.decision.original_claim.valid_from,
                backfilled=row.decision.place is not None,
            )
            for row in sorted(rows, key=lambda row: row.place, reverse=True)
            if row.decision.original_claim
        }
        roots = self._roots()
        before = replace(self._remembering(since), turn_order=self._telling())
        known = [
            kept for kept in self.versions if kept.opened < since and (kept.closed is None or kept.closed >= since)
        ]
        before.hold(replace(k.version, fact=roots.get(k.version.fact, k.version.fact)) for k in known)
        cut = {k.version.fact for k in known if k.closed is not None}
        return Past(
            before=before,
            since=[one for one in told.values() if self.undone.isdisjoint(one.ids)],
            undone=[one for one in told.values() if not self.undone.isdisjoint(one.ids)],
            active=self.held(),
            roots=roots,
            claims={row.root: row.decision.claim for row in self.rows if row.decision.id in cut},
            written=frozenset(row.decision.id for row in self.rows if row.recorded >= since),
        )

    def _roots(self) -> dict[uuid.UUID, uuid.UUID]:
        return {row.decision.id: row.decision.again for row in self.rows if row.decision.again}

    def _remembering(self, until: datetime) -> Fold:
        """Return an empty fold with the stored endings, forget requests and confirmations, by root."""
        current = {
            row.root: row.decision
            for row in self.rows
            if row.recorded < until and not (row.decision.again and row.decision.claim.mode == "withdraw")
        }
        fold, roots = Fold(predicates=self.predicates), self._roots()
        for decision in current.values():
            match memory(decision):
                case ("ended", *_) if decision.original_claim and is_news(decision.original_claim):
                    fold.record_news(decision.original_claim)
                case ("forgotten", bytes(print_)):
                    fold.forgotten.add(print_)
                case ("ended", bytes(print_), datetime() as at):
                    fold.ends.setdefault(print_, []).append(at)
                case ("confirmed", uuid.UUID() as fact, datetime() as at):
                    fold.confirmed.setdefault(roots.get(fact, fact), []).append(at)
        return fold


def beliefs(ledger: Ledger) -> set[Version]:
    """Return the beliefs without their facts."""
    return {replace(version, fact=uuid.UUID(int=0), row=None) for version in ledger.held()}


def remembered(ledger: Ledger) -> tuple[object, ...]:
    """Return the state for later claims: endings, forget requests, confirmations, and open reviews."""
    fold = ledger.fold()
    again = {
        (version.key, version.valid, at)
        for version in ledger.held()
        for at in fold.confirmed[version.fact]
        if version.valid.start < at < version.valid.end
    }
    ends = {print_: set(times) for print_, times in fold.ends.items()}
    return ends, set(fold.news), fold.forgotten, again, set(ledger.reviews)


def endings(ledger: Ledger) -> set[tuple[object, ...]]:
    """Return the beliefs that later news ended, each with the position of the news."""
    news = {
        row.decision.id: row.decision.original_claim
        for row in ledger.rows
        if row.decision.original_claim and row.decision.original_claim.effect
    }
    return {
        (version.key, version.valid, news[version.ended_by].source.position)
        for version in ledger.held()
        if version.ended_by in news and news[version.ended_by].source.position > version.position
    }
