"""Decisions that change the held beliefs into the wanted beliefs, and the differences between both."""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from slowwave.core.beliefs.identity import BeliefKey, compared_words, identity
from slowwave.core.beliefs.versions import Decision, Version
from slowwave.core.fold import Fold
from slowwave.core.late_arrivals.history import Entry, Past
from slowwave.core.time_spans import BEGINNING, Span

Content = tuple[BeliefKey, str]
Memory = tuple[object, ...] | None


@dataclass(frozen=True, slots=True)
class Differences:
    """Beliefs that ended, beliefs that are new, and beliefs with another valid time or other sources."""

    withdrawn: Sequence[Version]
    restored: Sequence[Version]
    changed: Sequence[tuple[Version, Version]]


def differences(before: Iterable[Version], after: Iterable[Version]) -> Differences:
    """Return the differences by content. If other facts have the same content, this is not a difference."""
    was, now = _by_content(before), _by_content(after)
    both = [content for content in was if content in now and _plain(was[content]) != _plain(now[content])]
    return Differences(
        [version for content, versions in was.items() if content not in now for version in versions[-1:]],
        [version for content, versions in now.items() if content not in was for version in versions[-1:]],
        [(was[content][-1], now[content][-1]) for content in both],
    )


def _by_content(versions: Iterable[Version]) -> dict[Content, list[Version]]:
    found: dict[Content, list[Version]] = {}
    for version in sorted(versions, key=lambda one: (one.valid, one.text)):
        found.setdefault((version.key, compared_words(version)), []).append(version)
    return found


def _plain(versions: Iterable[Version]) -> set[tuple[object, ...]]:
    return {(one.valid, one.confidence, one.rule, one.position) for one in versions}


def memory(decision: Decision) -> Memory:
    """Return what later claims use of a decision besides its versions: that a belief ended, was confirmed or was
    forgotten. A confirmation that is not firm matters to those who count the evidence.

    The result is None for any other decision.
    """
    span = decision.valid
    if decision.kind == "review":
        return None
    if decision.claim.mode == "forget":
        return "forgotten", decision.fingerprint
    if decision.claim.mode == "end" and span and span.start != BEGINNING:
        return "ended", decision.fingerprint, span.start
    if decision.kind == "noop" and decision.about:
        return "confirmed", decision.about, span and span.start
    return None


@dataclass(slots=True)
class Rewriting:
    """The decisions (*made*) that change the *active* versions into the *wanted* versions.

    A held version keeps its fact if a wanted version of the same claim is within its time. *cause* is the id of what
    changed history (a late claim or an undo); new ids are derived from *cause*. *because* is the cause in words.
    *cause_decisions* are the decisions about the cause itself. *gone* are the decisions, by id, that no longer apply.
    *undone* is the reason for closing the facts of these decisions.
    """

    active: list[Version]
    wanted: list[Version]
    past: Past
    fold: Fold
    cause: uuid.UUID
    because: str
    cause_decisions: Sequence[Decision] = ()
    gone: Mapping[uuid.UUID, Decision] = field(default_factory=dict)
    undone: str = ""
    made: list[Decision] = field(default_factory=list)
    opening: dict[uuid.UUID, list[Version]] = field(default_factory=dict)
    written: set[uuid.UUID] = field(default_factory=set)
    times: Counter[uuid.UUID] = field(default_factory=Counter)
    again: dict[uuid.UUID, uuid.UUID] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.written |= self.past.written
        for version in sorted(self.wanted, key=lambda version: (version.valid, version.key[1])):
            if not any(self._within(version, outer) for outer in self.active):
                self.opening.setdefault(version.fact, []).append(version)

    def change(self, entry: Entry, decision: Decision) -> Decision | None:
        """Open the wanted versions of a decision's fact, or cut the versions that the decision ends.

        Return the last new decision made for *decision*, or None if nothing changed.
        """
        last = None
        if decision.kind in ("add", "update"):
            for version in self.opening.pop(decision.id, ()):
                last = self._open(decision, version, entry)
        elif decision.kind == "delete" and decision.valid:
            span = decision.valid
            closed = [v for v in self.active if self._root(v.fact) in decision.replaces and v.valid.overlaps(span)]
            for fact in dict.fromkeys(version.fact for version in closed):
                last = self._carve(decision, fact, decision.valid, entry)
        return last

    def record_noop(self, entry: Entry, decision: Decision) -> None:
        """Record a decision that changes no belief but matters to later claims, as a noop."""
        about, span, reason = decision.about, decision.valid, decision.reason
        if decision.kind != "noop":
            about, span = None, span if memory(decision) else None
            reason = reason if decision.kind == "delete" else f"{reason}; later claims stay"
        about = next((version.fact for version in self.active if self._root(version.fact) == about), about)
        changed = replace(decision, kind="noop", about=about, valid=span, reason=reason)
        self._write(replace(changed, replaces=(), closes=(), opens=()), entry)

    def ask(self, entry: Entry, decision: Decision) -> None:
        """Record a review, with the current ids of the facts between which a person decides."""
        now = {self._root(version.fact): version.fact for version in (*self.past.active, *self.active)}
        among = tuple(now.get(root, root) for root in decision.among)
        self.made.append(replace(decision, among=among, place=entry.place, pack=entry.pack))

    def void(self, entry: Entry, decision: Decision) -> None:
        """Record that a decision would not have been made, so that later claims ignore it."""
        claim = replace(decision.claim, mode="assert")
        self.record_noop(entry, replace(decision, kind="noop", claim=claim, about=None, valid=None))

    def reopen(self) -> None:
        """Open again the remaining wanted versions, which began before the first entry and were closed since then."""
        for root in list(self.opening):
            claim = self.past.claims[root]
            self.written.add(root)
            for version in self.opening.pop(root):
                print_ = self.fold.fingerprint(*identity(version))
                self._open(Decision(root, "add", claim, version.key, print_, "it was always true"), version, None)

    def withdraw(self, decided: Sequence[tuple[Entry, Sequence[Decision]]]) -> None:
        """Close the remaining unwanted versions. Each is closed by a copy of the decision that excludes it."""
        for version in list(self.active):
            for span in self._unwanted(version):
                decision = self._closing_decision(version, span, decided)
                claim = replace(decision.claim, mode="withdraw")
                print_ = self.fold.fingerprint(*identity(version))
                changed = replace(decision, claim=claim, key=version.key, fingerprint=print_)
                self.written.add(changed.id)
                self._carve(changed, version.fact, span, None)

    def left(self) -> bool:
        """Return whether the held versions still differ from the wanted versions."""
        return {replace(v, fact=self._root(v.fact), row=None) for v in self.active} != set(self.wanted)

    def _within(self, version: Version, outer: Version) -> bool:
        if outer.key != version.key or self._root(outer.fact) != version.fact:
            return False
        same = replace(outer, fact=version.fact, valid=version.valid, row=None) == version
        return same and outer.valid.start <= version.valid.start and version.valid.end <= outer.valid.end

    def _unwanted(self, outer: Version) -> list[Span]:
        rest = [outer.valid]
        for version in self.wanted:
            if self._within(version, outer):
                rest = [piece for span in rest for piece in span.without(version.valid)]
        return rest

    def _closing_decision(
        self, version: Version, span: Span, decided: Sequence[tuple[Entry, Sequence[Decision]]]
    ) -> Decision:
        root = self._root(version.fact)
        if root in self.gone:
            return self.gone[root]
        every = [decision for _, decisions in decided for decision in decisions]
        closing = (d for d in every if root in d.replaces and d.valid and d.valid.overlaps(span))
        own = (decision for decision in every if decision.id == root)
        return next(own_or for source in (closing, own, self.cause_decisions) for own_or in source)

    def _open(self, decision: Decision, version: Version, entry: Entry | None) -> Decision:
        id_ = self._id(decision)
        facts = {
            v.fact
            for v in self.active
            if (v.key == version.key or (decision.replaces and self._root(v.fact) in decision.replaces))
            and v.valid.overlaps(version.valid)
        }
        closes = tuple(v for v in self.active if v.fact in facts and v.valid.overlaps(version.valid)) if facts else ()
        rests = (rest for v in closes for rest in v.without(version.valid, id_))
        self.again[id_] = decision.id
        changed = replace(
            decision,
            kind="update" if closes else "add",
            replaces=tuple(dict.fromkeys(v.fact for v in closes)),
            valid=version.valid,
            closes=closes,
            opens=(replace(version, fact=id_), *rests),
        )
        return self._write(changed, entry)

    def _carve(self, decision: Decision, fact: uuid.UUID, span: Span, entry: Entry | None) -> Decision:
        closes = tuple(version for version in self.active if version.fact == fact and version.valid.overlaps(span))
        rests = tuple(rest for v in closes for rest in v.without(span, self._id(decision)))
        changed = replace(
            decision, kind="delete", about=fact, replaces=(fact,), valid=span, closes=closes, opens=rests, among=()
        )
        return self._write(changed, entry)

    def _id(self, decision: Decision) -> uuid.UUID:
        """Return the id to write for *decision*: its own id, or a derived id if a decision with this id is already
        recorded.
        """
        if decision.id not in self.written:
            return decision.id
        return uuid.uuid5(decision.id, f"again/{self.cause}/{self.times[decision.id]}")

    def _write(self, decision: Decision, entry: Entry | None) -> Decision:
        if entry is not None:
            decision = replace(decision, place=entry.place, pack=entry.pack)
        id_ = self._id(decision)
        if id_ == decision.id:
            recorded = decision
            self.written.add(id_)
        else:
            self.times[decision.id] += 1
            reason = self.undone if decision.id in self.gone else f"{self.because}: {decision.reason}"
            recorded = replace(decision, id=id_, again=decision.id, reason=reason, place=None, pack="")
        for version in recorded.closes:
            self.active.remove(version)
        self.active += recorded.opens
        self.made.append(recorded)
        return recorded

    def _root(self, fact: uuid.UUID) -> uuid.UUID:
        return self.again.get(fact) or self.past.roots.get(fact, fact)
