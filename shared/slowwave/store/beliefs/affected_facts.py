"""The facts that a scope holds before a run, and that the claims of the run may affect."""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain, islice
from typing import Any

from sqlalchemy import Connection

from slowwave.core.beliefs.identity import (
    BeliefKey,
    ClaimOrVersion,
    belief_key,
    identity,
    identity_of_statement,
    normal,
)
from slowwave.core.beliefs.spelling import respelled
from slowwave.core.beliefs.versions import NAME
from slowwave.core.contradiction.namesakes import predicate_and_verb, role_keys
from slowwave.core.contradiction.references import RECENT_POSITIONS, TurnOrder, points_back
from slowwave.core.fold import Derive, Fold, Version
from slowwave.core.time_spans import BEGINNING, END, Span
from slowwave.domain.claim import Claim
from slowwave.store.beliefs.stated_claims import loaded_names, recall_news, worded
from slowwave.store.direct import ask
from slowwave.store.fingerprints import fingerprinter
from slowwave.store.inbox import stored_episodes
from slowwave.store.statements import execute, sql
from slowwave.store.transaction import registry_of


def fold_over(
    connection: Connection, scope: uuid.UUID, pack: str, claims: Sequence[Claim], *, ordered: bool = False
) -> Fold:
    """Return a `Fold`, which decides about claims, loaded with everything in *scope* that *claims* may affect.

    If *ordered* is true, the `Fold` knows the order in which turns were said. The `Fold` also knows this order if a
    claim points back to earlier turns and some of these turns came late.
    """
    prints = fingerprinter(connection)
    last = max((claim.source.own_position for claim in claims), default=0)
    turn_order = stored_episodes.orders(connection, scope, pack, last)[1] if ordered else TurnOrder()
    broad = _broadly(connection, scope, pack, claims, turn_order)
    if not ordered and any(row.late for row in broad):
        return fold_over(connection, scope, pack, claims, ordered=True)
    recent = [*map(version, broad), *map(version, worded(connection, scope, claims, prints))]
    about = [*claims, *_spelled_out(claims, recent)]
    name = loaded_names(connection, [scope], prints).get(scope)
    fold = Fold(fingerprint=prints.fact, derive=derivation(scope, pack), called=name, turn_order=turn_order)
    since = _since(about, recent) | dict.fromkeys(role_keys([*claims, *recent], registry_of(connection)), BEGINNING)
    exact = open_versions(connection, scope, {prints.belief(key): at for key, at in since.items()})
    fold.hold({version.row: version for version in [*recent, *exact]}.values())
    remember_endings = _ask_endings(connection, scope, fold, about)
    recall_news(connection, scope, fold, claims)
    remember_endings()
    _recall_confirmations(connection, scope, fold, claims)
    return fold


def derivation(scope: uuid.UUID, pack: str) -> Derive:
    """Return the function that derives the ids of a pack's decisions about a scope's claims."""

    def derive(claim: Claim, number: int) -> uuid.UUID:
        name = f"{pack}/{claim.source.episode}/{claim.ordinal}" + (f"/{number}" if number else "")
        return uuid.uuid5(scope, name)

    return derive


def roots(connection: Connection, scope: uuid.UUID) -> dict[uuid.UUID, uuid.UUID]:
    """Return the facts that were decided again after a late claim, each mapped to the first fact of the same claim.

    Served by deltas_again.
    """
    rows = connection.exec_driver_sql(
        "SELECT id, again FROM deltas WHERE scope = %(scope)s AND again IS NOT NULL AND kind IN ('add', 'update')",
        {"scope": scope},
    )
    return {row.id: row.again for row in rows}


def _ask_endings(connection: Connection, scope: uuid.UUID, fold: Fold, claims: Sequence[Claim]) -> Callable[[], None]:
    """Ask for ended and forgotten beliefs of *claims*; return the function that loads these beliefs into *fold*.

    A manual delete for all time does not count as an end: the same fact may be learned again.
    """
    about = [identity(claim) for claim in claims]
    prints = {fold.fingerprint(subject, predicate, o) for subject, predicate, object_ in about for o in (object_, "")}
    rows = ask(connection, sql("beliefs/open_endings"), {"scope": scope, "prints": sorted(prints)})

    def load() -> None:
        for mode, fingerprint, at in rows():
            if mode == "forget":
                fold.forgotten.add(bytes(fingerprint))
            else:
                fold.ends.setdefault(bytes(fingerprint), []).append(at)

    return load


def _recall_confirmations(connection: Connection, scope: uuid.UUID, fold: Fold, claims: Sequence[Claim]) -> None:
    """Load into *fold* when held beliefs were confirmed; only times after the earliest start of *claims* are loaded."""
    facts = {version.fact for versions in fold.active.values() for version in versions}
    if not facts:
        return
    first = roots(connection, scope)
    again: dict[uuid.UUID, set[uuid.UUID]] = {}
    for fact in facts if first else ():
        again.setdefault(first.get(fact, fact), set()).add(fact)
    same = {fact for fact, root in first.items() if root in again} | facts | again.keys()
    rows = execute(
        connection,
        "beliefs/open_confirmations",
        scope=scope,
        facts=list(same),
        earliest=min(claim.valid_from for claim in claims),
    )
    for confirmed, at in rows:
        for fact in again[first.get(confirmed, confirmed)] if first else (confirmed,):
            fold.confirmed.setdefault(fact, []).append(at)


def _since(claims: Iterable[Claim], recent: Iterable[Version]) -> dict[BeliefKey, datetime]:
    """Return the beliefs that *claims* may affect, each with the time after which a version must still be valid.

    For a claim with the mode `assert`, this time is the start of the claim, because the claim cannot change a version
    that ended earlier. For any other claim, it is the beginning of all time.
    """
    since = dict.fromkeys((NAME, *(version.key for version in recent)), BEGINNING)
    for claim in claims:
        begins = claim.valid_from if claim.mode == "assert" else BEGINNING
        for key in _keys(claim):
            since[key] = min(begins, since.get(key, begins))
    return since


def _keys(claim: Claim) -> Iterable[BeliefKey]:
    """Return the keys of the beliefs that a claim may affect.

    A claim with another mode than `assert` may affect both single-valued and multi-valued beliefs.
    """
    for single in {claim.single_valued} if claim.mode == "assert" else {True, False}:
        yield belief_key(*identity(claim), single_valued=single)
    yield from respelled(claim)


def _broadly(
    connection: Connection, scope: uuid.UUID, pack: str, claims: Sequence[Claim], turn_order: TurnOrder
) -> Sequence[Any]:
    """Find the open versions that may be meant by those *claims* that do not identify one belief; return their rows."""
    broad = [claim for claim in claims if not claim.effect and _reads_broadly(claim)]
    if not broad:
        return ()
    return execute(
        connection,
        "beliefs/open_broad",
        scope=scope,
        pack=pack,
        pointing=not turn_order and any(map(points_back, broad)),
        predicates=sorted({verb for claim in broad for verb in predicate_and_verb(claim.predicate)}),
        recent=_first_meant(broad, turn_order),
    ).all()


def _first_meant(claims: Sequence[Claim], turn_order: TurnOrder) -> int:
    """Return the lowest position among the `RECENT_POSITIONS` turns before each claim."""
    positions = {claim.source.position for claim in claims}
    before = (islice(turn_order.before(one, one), RECENT_POSITIONS) for one in positions)
    return min(chain.from_iterable(before), default=0)


def _reads_broadly(claim: Claim) -> bool:
    """Return whether the meaning of a claim depends on the held facts.

    For example, the end of a belief may name only a part of the belief's object.
    """
    return claim.mode == "end" or (claim.mode != "assert" and (not claim.object or _points_back(claim)))


def _points_back(claim: Claim) -> bool:
    return claim.predicate == "*" or claim.mode == "correct" or claim.form == "statement"


def _spelled_out(claims: Sequence[Claim], recent: Sequence[Version]) -> Iterable[Claim]:
    """Give copies of each claim without a predicate: one copy for each predicate that the claim may mean."""
    candidates: list[ClaimOrVersion] = [*claims, *recent]
    known_predicates = {(normal(each.subject), each.form, each.predicate) for each in candidates}
    for claim in claims:
        if claim.predicate == "*" and not claim.effect:
            for subject, form, predicate in sorted(known_predicates):
                if (subject, form) == (normal(claim.subject), claim.form) and predicate != "*":
                    yield replace(claim, predicate=predicate)


def open_versions(
    connection: Connection, scope: uuid.UUID, since: Mapping[bytes, datetime] | Iterable[bytes]
) -> list[Version]:
    """Return the open versions of the beliefs with the digests in *since*.

    If *since* maps digests to times, a version must also be valid after the time of its belief.
    """
    wanted = since if isinstance(since, Mapping) else dict.fromkeys(since, BEGINNING)
    rows = execute(connection, "beliefs/open_exact", scope=scope, digests=list(wanted), since=list(wanted.values()))
    return [version(row) for row in rows]


def open_of_facts(
    connection: Connection, scope: uuid.UUID, facts: Sequence[uuid.UUID]
) -> dict[uuid.UUID, list[Version]]:
    """Return the open versions of these facts of this scope, by fact, in order of valid time."""
    found: dict[uuid.UUID, list[Version]] = {}
    for row in execute(connection, "beliefs/open_facts", scope=scope, facts=list(facts)):
        found.setdefault(row.fact, []).append(version(row))
    return found


def recently_stated(connection: Connection, scope: uuid.UUID, *, most: int) -> list[Version]:
    """Return the open versions that were mentioned last, newest first."""
    rows = execute(connection, "beliefs/open_recent", scope=scope, most=most)
    return [version(row) for row in rows]


def version(row: Iterable[Any]) -> Version:
    """Return the version in a row of the fact table. Every statement selects the columns of a version first."""
    (
        number, fact, subject, predicate, object_, single_valued, begin, end, confidence, position, session, rule,
        form, text, tense, ended_by, *_,
    ) = row  # fmt: skip
    says = predicate, object_
    if form != "typed":
        says = identity_of_statement(predicate, text)
    return Version(
        fact, belief_key(subject, *says, single_valued=single_valued), subject, predicate, object_,
        Span(begin or BEGINNING, end or END), confidence, position, session, rule, number, form, text, ended_by, tense,
    )  # fmt: skip
