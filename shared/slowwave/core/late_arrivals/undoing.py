"""Undo: the changes that make beliefs as if some claims had never been made, or were never undone."""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from slowwave.core.beliefs.identity import BeliefKey
from slowwave.core.beliefs.versions import Decision, Version
from slowwave.core.late_arrivals.history import BeliefHistory, Entry, Past, related, stated_claims
from slowwave.core.late_arrivals.placement import named, reachable, write
from slowwave.core.late_arrivals.rewriting import Rewriting, memory
from slowwave.errors import Fault

RULE = "slowwave.undo@1"
"""The rule of the deltas that close the facts of undone claims."""


@dataclass(frozen=True, slots=True)
class Undoing:
    """The claims to undo: those with decisions in *out*, under the *id* of the order.

    The claims with decisions in *back* were undone, and count again. *fresh* claims, which were never decided, count
    from now on, except those of what was *erased*, by its fingerprints. *words* say what was undone, and by whom.
    """

    id: uuid.UUID
    words: str
    out: Collection[uuid.UUID] = ()
    back: Collection[uuid.UUID] = ()
    fresh: Sequence[Entry] = ()
    erased: Collection[bytes] = ()


@dataclass(frozen=True, slots=True)
class Refolded:
    """The decisions that undo, and the reviews that are no longer needed; the beliefs *before* and *after*.

    *unsure* are beliefs that do not follow from the known claims, as after an erasure: of these only the facts of
    undone claims are closed, and nothing is restored. *roots* are those of the past. *added* are the ids of the
    decisions about fresh claims.
    """

    decisions: Sequence[Decision] = ()
    settled: Sequence[uuid.UUID] = ()
    before: Sequence[Version] = ()
    after: Sequence[Version] = ()
    unsure: Sequence[Version] = ()
    roots: Mapping[uuid.UUID, uuid.UUID] = field(default_factory=dict)
    added: Sequence[uuid.UUID] = ()


def fold_without(past: Past, undoing: Undoing) -> Refolded:
    """Return the decisions after which beliefs are as if the undone claims had not been made.

    An undo never fails. If the held versions of a belief do not follow from the known claims, they cannot be folded
    again: they stay as they are, except for the facts of undone claims.
    """
    gone = [entry for entry in past.since if not entry.ids.isdisjoint(undoing.out)]
    back = [*undoing.fresh, *(entry for entry in past.undone if not entry.ids.isdisjoint(undoing.back))]
    old, new = _worlds(past, gone, back)
    if barred := _barred(new, undoing):
        return fold_without(past, replace(undoing, fresh=[one for one in undoing.fresh if id(one) not in barred]))
    undone = _undone(old, gone)

    known = _by_key(replace(version, fact=_root(past, version)) for version in past.held)
    keys = {key for key in old.fold.held.keys() | new.fold.held.keys() if old.at(key) != new.at(key)}
    keys |= {key for key, versions in known.items() if any(version.fact in undone for version in versions)}
    facts = named(past, new)
    sure = {
        key
        for key in keys
        if (held_now := _plain(known.get(key, ()))) == old.at(key) and reachable(new.at(key), held_now, facts)
    }
    held = [version for version in past.held if version.key in keys]
    rewriting = Rewriting(
        [version for version in held if version.key in sure],
        [version for key in sure for version in new.at(key)],
        past, new.fold, undoing.id, f"decided again, as {undoing.words}", [*undone.values()], undone, undoing.words,
    )  # fmt: skip
    settled = [*write(rewriting, old, new, back), *_forget_claims(rewriting, old, gone)]
    unsure = [version for version in held if version.key not in sure]
    _close(rewriting, unsure, undone)
    if rewriting.left():
        raise Fault("the undo does not lead to the beliefs without the undone claims", hint="please report this")
    left = [version for version in unsure if _root(past, version) not in undone]
    fresh = {id(entry) for entry in undoing.fresh}
    added = [one.id for entry, decisions in new.decided if id(entry) in fresh for one in decisions]
    return Refolded(rewriting.made, settled, held, rewriting.held, left, past.roots, added)


def _barred(new: BeliefHistory, undoing: Undoing) -> set[int]:
    """Return the fresh entries that say again what was erased."""
    fresh = {id(entry) for entry in undoing.fresh}
    return {
        id(entry)
        for entry, decisions in new.decided
        if id(entry) in fresh and any(one.fingerprint in undoing.erased for one in decisions)
    }


def _worlds(past: Past, gone: Sequence[Entry], back: Sequence[Entry]) -> tuple[BeliefHistory, BeliefHistory]:
    """Return the history of beliefs as it is, and the history without the *gone* claims and with the *back* claims."""
    since = related(past.since, [*gone, *back])
    out = {id(entry) for entry in gone}
    kept = [entry for entry in since if id(entry) not in out]
    return stated_claims(past.before, since), stated_claims(past.before, [*kept, *back])


def _undone(old: BeliefHistory, gone: Sequence[Entry]) -> dict[uuid.UUID, Decision]:
    """Return the decisions that are not made any more, by id, in the form in which they close their facts."""
    out, found = {id(entry) for entry in gone}, dict[uuid.UUID, Decision]()
    for entry, decisions in old.decided:
        for decision in decisions if id(entry) in out else ():
            changed = replace(decision, claim=replace(decision.claim, rule=RULE))
            found |= {id_: replace(changed, id=id_) for id_ in entry.ids if id_ not in found} | {decision.id: changed}
    return found


def _forget_claims(rewriting: Rewriting, old: BeliefHistory, gone: Sequence[Entry]) -> list[uuid.UUID]:
    """Remove what later claims remember of undone ones; return the reviews about these."""
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
    """Close the facts of undone claims among *unsure* beliefs."""
    rewriting.held += unsure
    rewriting.wanted += [
        replace(version, fact=root, row=None)
        for version in unsure
        if (root := _root(rewriting.past, version)) not in undone
    ]
    rewriting.withdraw(())


def _by_key(versions: Iterable[Version]) -> dict[BeliefKey, list[Version]]:
    found: dict[BeliefKey, list[Version]] = {}
    for version in versions:
        found.setdefault(version.key, []).append(version)
    return found


def _plain(versions: Sequence[Version]) -> set[Version]:
    return {replace(version, row=None) for version in versions}


def _root(past: Past, version: Version) -> uuid.UUID:
    return past.roots.get(version.fact, version.fact)
