"""Beliefs as if late claims had come in time, or as if undone claims had never been made."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from slowwave.core.beliefs.identity import BeliefKey, compared_words
from slowwave.core.beliefs.versions import Decision, Version
from slowwave.core.late_arrivals.history import BeliefHistory, Entry, Past, RecordedClaim, related, stated_claims
from slowwave.core.late_arrivals.rewriting import Memory, Rewriting, memory
from slowwave.core.time_spans import Span
from slowwave.domain.claim import Claim
from slowwave.errors import Fault

BACKFILLED = "decided again because of a late claim"
UNSURE = "it came late, and the beliefs at its time are not known any more"
RULE = "slowwave.undo@1"
"""The rule of the deltas that close the facts of undone claims."""


@dataclass(frozen=True, slots=True)
class Folded:
    """The decisions that insert late claims at their place, and the ids of the reviews that are no longer needed."""

    decisions: Sequence[Decision] = ()
    settled: Sequence[uuid.UUID] = ()


def fold_in_place(past: Past, claims: Sequence[Claim]) -> Folded:
    """Return the decisions that make beliefs as if late *claims* had come in time.

    The decisions about the late claims come first, then the changed decisions about later claims, with new ids. If the
    current beliefs do not follow from the known claims, a person decides about the late claims, and no belief changes.
    """
    places, derive = past.places, past.before.derive
    backfilled = [RecordedClaim(claim, derive, places.get(claim.source.position), backfilled=True) for claim in claims]
    return placed(past, backfilled) or Folded([_ask(entry, past) for entry in backfilled])


def placed(past: Past, backfilled: Sequence[RecordedClaim], *, in_time: bool = False) -> Folded | None:
    """Return the decisions that insert *backfilled* at their places. With *in_time*, all claims are ordered by time.

    Return None if the current beliefs do not follow from the known claims.
    """
    since = related(past.since, backfilled)
    old = stated_claims(past.before, since, in_time=in_time)
    new = stated_claims(replace(past.before, turn_order=past.turn_order), [*since, *backfilled], in_time=in_time)
    changed = {key for key in old.fold.active.keys() | new.fold.active.keys() if old.at(key) != new.at(key)}
    active = [version for version in past.active if version.key in changed]
    known = {replace(v, fact=past.roots.get(v.fact, v.fact), row=None) for v in active}
    expected = {version for key in changed for version in old.at(key)}
    wanted = [version for key in changed for version in new.at(key)]
    follows = _beliefs(known) == _beliefs(expected) if in_time else known == expected
    if not follows or not reachable(wanted, known, named(past, new)):
        return None
    first = min(backfilled, key=lambda entry: entry.time if in_time else entry.order)
    cause_decisions = [decision for entry, decisions in new.decided if entry is first for decision in decisions]
    cause = first.derive(first.claim, 0)
    rewriting = Rewriting(active, wanted, past, new.fold, cause, BACKFILLED, cause_decisions)
    settled = write(rewriting, old, new, backfilled)
    if rewriting.left():
        raise Fault("late claims do not lead to the same beliefs as claims in time", hint="please report this")
    return Folded(rewriting.made, settled)


def write(rewriting: Rewriting, old: BeliefHistory, new: BeliefHistory, backfilled: Sequence[Entry]) -> list[uuid.UUID]:
    """Record in *rewriting* the decisions of *new* that differ from *old*, and return the reviews that are not needed
    any more.

    The entries in *backfilled* are not in *old*.
    """
    before = {id(entry): decisions for entry, decisions in old.decided}
    fresh = {id(entry) for entry in backfilled}
    settled: list[uuid.UUID] = []
    asks: set[uuid.UUID] = set()
    for entry, decisions in new.decided:
        was = before.get(id(entry), ())
        for number, decision in enumerate(decisions):
            known = memory(was[number]) if number < len(was) else None
            asked = number < len(was) and was[number].kind == "review"
            if asked and decision.kind != "review":
                settled.append(decision.id)
            if known and decision.kind == "review":
                rewriting.void(entry, was[number])
            is_new = id(entry) in fresh or (asked != (decision.kind == "review"))
            if decision.kind == "review" and (is_new or decision.among != was[number].among):
                asks.add(decision.id)
            elif decision.kind != "review":
                _again(rewriting, entry, decision, known, is_new=is_new)
        for gone in was[len(decisions) :]:
            if gone.kind == "review":
                settled.append(gone.id)
            elif memory(gone):
                rewriting.void(entry, gone)
    rewriting.reopen()
    rewriting.withdraw(new.decided)
    for entry, decisions in new.decided:
        for decision in decisions:
            if decision.kind == "review" and (
                decision.id in asks or not set(rewriting.again.values()).isdisjoint(decision.among)
            ):
                rewriting.ask(entry, decision)
    return settled


def _again(rewriting: Rewriting, entry: Entry, decision: Decision, known: Memory, *, is_new: bool) -> None:
    """Record the version changes of *decision* that are new.

    Also record what later claims use of *decision* (see `memory`), if that is not *known* already.
    """
    last = rewriting.change(entry, decision)
    if (last is None and (is_new or memory(decision) != known)) or (last and memory(last) != memory(decision)):
        rewriting.record_noop(entry, decision)


def _beliefs(versions: Iterable[Version]) -> dict[tuple[BeliefKey, str], list[Span]]:
    """Return the valid times of each belief by content. Adjacent times of equal content are joined."""
    spans: dict[tuple[BeliefKey, str], list[Span]] = {}
    for version in sorted(versions, key=lambda version: version.valid):
        of = spans.setdefault((version.key, compared_words(version)), [])
        since = of.pop().start if of and of[-1].end == version.valid.start else version.valid.start
        of.append(Span(since, version.valid.end))
    return spans


def named(past: Past, new: BeliefHistory) -> set[uuid.UUID]:
    """Return the facts for which a version can be opened. A fact whose words were erased is not among them."""
    return {decision.id for _, decisions in new.decided for decision in decisions} | past.claims.keys()


def reachable(wanted: Iterable[Version], active: Collection[Version], facts: Collection[uuid.UUID]) -> bool:
    """Return whether each version in *wanted* is within a version in *active*, or has a fact in *facts* and can be
    opened.
    """
    return all(version.fact in facts or any(_covers(one, version) for one in active) for version in wanted)


def _covers(outer: Version, version: Version) -> bool:
    same = outer.key == version.key and replace(outer, valid=version.valid) == version
    return same and outer.valid.start <= version.valid.start and version.valid.end <= outer.valid.end


def _ask(entry: RecordedClaim, past: Past) -> Decision:
    fold = replace(past.before, derive=entry.derive, heard=entry.claim)
    return replace(fold.ask(entry.claim, UNSURE), place=entry.place)


@dataclass(frozen=True, slots=True)
class Undoing:
    """An undo with its *id*: the claims to leave out have decisions in *out*.

    The claims with decisions in *back* were left out by an earlier undo, and count again. *fresh* claims were never
    decided, and count from now on, unless their fingerprint is in *erased*. *words* is the reason for the new
    decisions, and names the undone target and the person.
    """

    id: uuid.UUID
    words: str
    out: Collection[uuid.UUID] = ()
    back: Collection[uuid.UUID] = ()
    fresh: Sequence[Entry] = ()
    erased: Collection[bytes] = ()


@dataclass(frozen=True, slots=True)
class Refolded:
    """The result of an undo: its decisions, the reviews that are no longer needed, and the beliefs *before* and
    *after*.

    *unsure* are beliefs that do not follow from the known claims, for example after an erasure. Among them, an undo
    only closes the facts of undone claims, and restores no belief. *roots* gives the original fact of each fact that
    was decided again. *added* are the ids of the decisions about fresh claims.
    """

    decisions: Sequence[Decision] = ()
    settled: Sequence[uuid.UUID] = ()
    before: Sequence[Version] = ()
    after: Sequence[Version] = ()
    unsure: Sequence[Version] = ()
    roots: Mapping[uuid.UUID, uuid.UUID] = field(default_factory=dict)
    added: Sequence[uuid.UUID] = ()


def fold_without(past: Past, undoing: Undoing) -> Refolded:
    """Return the decisions that make beliefs as if the undone claims had not been made.

    If the held versions of a belief do not follow from the known claims, they cannot be decided again. Such versions
    stay unchanged, except that the facts of undone claims are closed.
    """
    gone = [entry for entry in past.since if not entry.ids.isdisjoint(undoing.out)]
    back = [*undoing.fresh, *(entry for entry in past.undone if not entry.ids.isdisjoint(undoing.back))]
    old, new = _worlds(past, gone, back)
    if barred := _barred(new, undoing):
        return fold_without(past, replace(undoing, fresh=[one for one in undoing.fresh if id(one) not in barred]))
    undone = _undone(old, gone)

    known: dict[BeliefKey, set[Version]] = defaultdict(set)
    for version in past.active:
        known[version.key].add(replace(version, fact=_root(past, version), row=None))
    keys = {key for key in old.fold.active.keys() | new.fold.active.keys() if old.at(key) != new.at(key)}
    keys |= {key for key, versions in known.items() if any(version.fact in undone for version in versions)}
    facts = named(past, new)
    sure = {
        key
        for key in keys
        if (active_now := known.get(key, set())) == old.at(key) and reachable(new.at(key), active_now, facts)
    }
    active = [version for version in past.active if version.key in keys]
    rewriting = Rewriting(
        [version for version in active if version.key in sure],
        [version for key in sure for version in new.at(key)],
        past, new.fold, undoing.id, f"decided again, as {undoing.words}", [*undone.values()], undone, undoing.words,
    )  # fmt: skip
    settled = [*write(rewriting, old, new, back), *_forget_claims(rewriting, old, gone)]
    unsure = [version for version in active if version.key not in sure]
    _close(rewriting, unsure, undone)
    if rewriting.left():
        raise Fault("the undo does not lead to the beliefs without the undone claims", hint="please report this")
    left = [version for version in unsure if _root(past, version) not in undone]
    fresh = {id(entry) for entry in undoing.fresh}
    added = [one.id for entry, decisions in new.decided if id(entry) in fresh for one in decisions]
    return Refolded(rewriting.made, settled, active, rewriting.active, left, past.roots, added)


def _barred(new: BeliefHistory, undoing: Undoing) -> set[int]:
    """Return the `id()` of each fresh entry that repeats an erased belief."""
    fresh = {id(entry) for entry in undoing.fresh}
    return {
        id(entry)
        for entry, decisions in new.decided
        if id(entry) in fresh and any(one.fingerprint in undoing.erased for one in decisions)
    }


def _worlds(past: Past, gone: Sequence[Entry], back: Sequence[Entry]) -> tuple[BeliefHistory, BeliefHistory]:
    """Return the current history of beliefs, and the history without the claims in *gone* and with the claims in
    *back*.
    """
    since = related(past.since, [*gone, *back])
    out = {id(entry) for entry in gone}
    remaining = [entry for entry in since if id(entry) not in out]
    return stated_claims(past.before, since), stated_claims(past.before, [*remaining, *back])


def _undone(old: BeliefHistory, gone: Sequence[Entry]) -> dict[uuid.UUID, Decision]:
    """Return the decisions about *gone* claims by id, with the rule of an undo instead of the claim's rule."""
    out, found = {id(entry) for entry in gone}, dict[uuid.UUID, Decision]()
    for entry, decisions in old.decided:
        for decision in decisions if id(entry) in out else ():
            changed = replace(decision, claim=replace(decision.claim, rule=RULE))
            found |= {id_: replace(changed, id=id_) for id_ in entry.ids if id_ not in found} | {decision.id: changed}
    return found


def _forget_claims(rewriting: Rewriting, old: BeliefHistory, gone: Sequence[Entry]) -> list[uuid.UUID]:
    """Cancel the records that the claims in *gone* left for later claims, and return the reviews about these claims."""
    out = {id(entry) for entry in gone}
    settled: list[uuid.UUID] = []
    for entry, decisions in old.decided:
        for decision in decisions if id(entry) in out else ():
            if decision.kind == "review":
                settled.append(decision.id)
            elif memory(decision):
                rewriting.void(entry, decision)
    return settled


def _close(rewriting: Rewriting, unsure: Sequence[Version], undone: Collection[uuid.UUID]) -> None:
    rewriting.active += unsure
    rewriting.wanted += [
        replace(version, fact=root, row=None)
        for version in unsure
        if (root := _root(rewriting.past, version)) not in undone
    ]
    rewriting.withdraw(())


def _root(past: Past, version: Version) -> uuid.UUID:
    return past.roots.get(version.fact, version.fact)
