"""Reads of the ledger: the decisions and claims that a late claim or an undo may change."""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.core.beliefs.identity import BeliefKey, belief_key, compared_words, identity, text_of
from slowwave.core.contradiction.references import TurnOrder, points_back
from slowwave.core.fold import Decision, Derive, Fold, Version
from slowwave.core.late_arrivals.history import Done, Past, RecordedClaim
from slowwave.core.late_arrivals.late_claims import Since
from slowwave.core.time_spans import BEGINNING, END, Span
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.store.beliefs import affected_facts, stated_claims
from slowwave.store.beliefs.stated_claims import names_of_users, news_of
from slowwave.store.fingerprints import fingerprinter
from slowwave.store.inbox import stored_episodes
from slowwave.store.statements import execute

Roots = Mapping[uuid.UUID, uuid.UUID]
"""A mapping from facts to the first facts of the same claims."""
StatementsByFact = Mapping[uuid.UUID, tuple[BeliefKey, str]]
"""A mapping from facts to the beliefs and objects that the facts state."""
MOST_TURNS = 200
"""The maximum number of turns that are read again for the late claims of a window, the latest first."""


def earlier_decisions(connection: Connection, scope: uuid.UUID, pack: str, claims: Sequence[Claim]) -> Past | None:
    """Return the part of the history that starts where late *claims* of a pack belong.

    Returns None if the pack has decided no claim of a later turn.
    """
    places = _places(connection, scope, pack, sorted({claim.source.own_position for claim in claims}))
    if not places:
        return None
    return replace(history(connection, scope, pack, min(places.values()), claims), places=places)


def past_since(
    connection: Connection, scope: uuid.UUID, pack: str, claims: Sequence[Claim], since: Sequence[Since]
) -> Past:
    """Return the part of the history that starts where late *claims* of a pack belong.

    They belong just before the claims in *since*.
    """
    late_positions = {claim.source.own_position for claim in claims}
    passed = {one.claim.source.own_position for one in since if one.place is None}
    after = _places(connection, scope, pack, sorted(late_positions | {position - 1 for position in passed}))
    own = {position: after[position - 1] for position in passed if position - 1 in after}
    places = own | {position: after[position] for position in late_positions if position in after}
    known = [*places.values(), *(one.place for one in since if one.place is not None)]
    first = min(known) if known else _after_all(connection, scope)
    places = dict.fromkeys(passed, first) | places | dict.fromkeys(late_positions, first)
    return replace(history(connection, scope, pack, first, [*claims, *(one.claim for one in since)]), places=places)


def history(connection: Connection, scope: uuid.UUID, pack: str, since: datetime, claims: Sequence[Claim] = ()) -> Past:
    """Return the decisions of a scope from *since* on, and the beliefs before *since*, so that *claims* can be added.

    If a late claim or an undo after *since* changed earlier history, the result begins at the earliest change.
    """
    while earlier := execute(connection, "late_arrivals/earliest_place", scope=scope, since=since).scalar_one():
        since = earlier
    rows = execute(connection, "late_arrivals/versions_since", scope=scope, since=since).all()
    first = affected_facts.roots(connection, scope)
    now = [affected_facts.version(row) for row in rows if row.open]
    then = [affected_facts.version(row) for row in rows if row.before]
    cut = [row.fact for row in rows if row.before and not row.open]
    says = {
        row.fact: (version.key, compared_words(version)) for row in rows if (version := affected_facts.version(row))
    }
    deltas = recorded_deltas(connection, scope, _since(connection, scope, since))
    asked = execute(connection, "late_arrivals/open_reviews", scope=scope, since=since).all()
    entries = list(_entries(deltas, asked, first, says))
    undone = undone_in(connection, scope)
    last = max((claim.source.own_position for claim in claims), default=0)
    pointing = any(map(points_back, [*claims, *(entry.claim for entry in entries)]))
    known, every = stored_episodes.orders(connection, scope, pack, last) if pointing else (TurnOrder(), TurnOrder())
    return Past(
        before=replace(_fold(connection, scope, pack, since, then, first), turn_order=known),
        turn_order=every,
        since=[entry for entry in entries if entry.ids.isdisjoint(undone)],
        undone=[entry for entry in entries if not entry.ids.isdisjoint(undone)],
        active=now,
        roots=first,
        claims={row.root: claim_of(row) for row in recorded_deltas(connection, scope, cut)},
        written=frozenset(row.id for row in deltas),
    )


def recorded_claims(connection: Connection, scope: uuid.UUID, pack: str) -> list[RecordedClaim]:
    """Return every claim of a pack in the ledger or in the pending reviews of a scope, including undone claims.

    The scope's part of the table deltas is scanned once.
    """
    ids = connection.exec_driver_sql(
        "SELECT id FROM deltas WHERE scope = %(scope)s AND pack = %(pack)s AND again IS NULL ORDER BY recorded",
        {"scope": scope, "pack": pack},
    ).scalars()
    deltas = recorded_deltas(connection, scope, list(ids))
    asked = execute(connection, "late_arrivals/open_reviews", scope=scope, since=BEGINNING)
    entries = _entries(deltas, [row for row in asked if row.pack == pack], {}, {})
    return [entry for entry in entries if isinstance(entry, RecordedClaim)]


def undone_in(connection: Connection, scope: uuid.UUID, *, but: Collection[uuid.UUID] = ()) -> set[uuid.UUID]:
    """Return the claims of a scope that undos leave out.

    The id of a claim is the id of the first delta about the claim.

    Claims that only the undos *but* leave out are not returned.
    """
    return set(execute(connection, "late_arrivals/undone", scope=scope, but=[*but]).scalars())


def _places(connection: Connection, scope: uuid.UUID, pack: str, positions: Sequence[int]) -> dict[int, datetime]:
    rows = execute(connection, "late_arrivals/places", scope=scope, pack=pack, positions=list(positions))
    return {position: place for position, place in rows if place is not None}


def _after_all(connection: Connection, scope: uuid.UUID) -> datetime:
    """Return the time directly after the last delta of a scope. Served by deltas_scope_recorded_key."""
    last: datetime = connection.exec_driver_sql(
        "SELECT coalesce(max(recorded), timestamptz 'epoch') + interval '1 microsecond' FROM deltas "
        "WHERE scope = %(scope)s",
        {"scope": scope},
    ).scalar_one()
    return last


def _since(connection: Connection, scope: uuid.UUID, since: datetime) -> list[uuid.UUID]:
    """Return the first delta about each claim that was first decided at *since* or later.

    Served by deltas_scope_recorded_key.
    """
    rows = connection.exec_driver_sql(
        "SELECT id FROM deltas WHERE scope = %(scope)s AND recorded >= %(since)s AND again IS NULL ORDER BY recorded",
        {"scope": scope, "since": since},
    )
    return list(rows.scalars())


def recorded_deltas(connection: Connection, scope: uuid.UUID, ids: Collection[uuid.UUID]) -> Sequence[Any]:
    """Return the rows of the deltas with these ids. The statement `deltas_by_ids` lists the columns."""
    return execute(connection, "late_arrivals/deltas_by_ids", scope=scope, ids=list(ids)).all() if ids else ()


def _fold(
    connection: Connection, scope: uuid.UUID, pack: str, since: datetime, then: Sequence[Version], first: Roots
) -> Fold:
    """Return the beliefs at the time *since*, as a `Fold`, with the earlier ends, reported changes and confirmations.

    *then* are the fact versions at this time. *first* maps each fact to the first fact of the same claim.
    """
    name = names_of_users(connection, [scope]).get(scope)
    fold = Fold(fingerprint=fingerprinter(connection).fact, derive=affected_facts.derivation(scope, pack), called=name)
    fold.hold(replace(version, fact=first.get(version.fact, version.fact)) for version in then)
    mine = {version.fact for versions in fold.active.values() for version in versions}
    facts = mine | {fact for fact, root in first.items() if root in mine}
    for row in execute(connection, "late_arrivals/endings_before", scope=scope, since=since, facts=list(facts)):
        if row.mode == "forget":
            fold.forgotten.add(bytes(row.fingerprint))
        elif row.payload is not None:
            fold.record_news(news_of(row))
        elif row.mode == "end":
            fold.ends.setdefault(bytes(row.fingerprint), []).append(row.at)
        if row.kind == "noop" and row.fact in facts and row.at is not None:
            fold.confirmed.setdefault(first.get(row.fact, row.fact), []).append(row.at)
    return fold


def _entries(
    rows: Sequence[Any], asked: Sequence[Any], first: Roots, says: StatementsByFact
) -> Iterable[RecordedClaim | Done]:
    """Yield each claim of a pack once, and each decision that is not about a claim of a pack.

    *rows* are deltas; *asked* are pending reviews.
    """
    grouped: dict[tuple[str, uuid.UUID, int], list[tuple[Any, Claim]]] = {}
    for row in [*rows, *asked]:
        claim = claim_of(row)
        if "claim" not in row.payload:
            yield _done(row, claim, first, says)
        else:
            grouped.setdefault((row.pack, claim.source.episode, claim.ordinal), []).append((row, claim))
    for same in grouped.values():
        row, claim = same[0]
        ids = [one.id for one, _ in same]
        derive = _derive(affected_facts.derivation(row.scope, row.pack), claim, ids)
        yield RecordedClaim(claim, derive, row.place, row.pack, frozenset(ids), row.occurred, row.late)


def _derive(derive: Derive, claim: Claim, ids: Sequence[uuid.UUID]) -> Derive:
    """Return *derive*, or a function that gives the *ids* of the claim's decisions if they come from another tenant.

    An import into another tenant gives new ids to all rows.
    """
    if not {derive(claim, number) for number in range(len(ids) + 1)}.isdisjoint(ids):
        return derive
    return lambda claim, number: ids[number] if number < len(ids) else derive(claim, number)


def claim_of(row: Any) -> Claim:
    """Return the claim in a row of the ledger or of a review, without changes by later decisions."""
    return stated_claims.claim(
        row.payload,
        mode=row.mode,
        confidence=row.confidence,
        rule=row.rule,
        sources=row.sources,
        since=row.valid_from or BEGINNING,
    )


def _done(row: Any, claim: Claim, first: Roots, says: StatementsByFact) -> Done:
    span = Span(row.valid_from or BEGINNING, row.valid_to or END) if row.ranged else None
    key = belief_key(*identity(claim), single_valued=claim.single_valued)
    decision = Decision(
        row.id, row.kind, claim, key, bytes(row.fingerprint), row.payload["reason"],
        about=row.fact and first.get(row.fact, row.fact),
        replaces=tuple(first.get(fact, fact) for fact in row.replaces),
        valid=span,
        opens=(_version(row, claim, key, span),) if row.kind in ("add", "update") and span else (),
    )  # fmt: skip
    meant = frozenset(says[fact] for fact in row.replaces if fact in says)
    return Done(decision, row.place, meant, row.pack)


def _version(row: Any, claim: Claim, key: BeliefKey, span: Span) -> Version:
    return Version(
        row.id, key, claim.subject, claim.predicate, claim.object, span, row.confidence, row.position, claim.session,
        row.rule, form=claim.form, text=text_of(claim), tense=claim.tense,
    )  # fmt: skip


def newest(connection: Connection, scope: uuid.UUID, before: int) -> datetime | None:
    """Return the latest time at which an episode below the position *before* occurred; None without such an episode."""
    found: datetime | None = execute(connection, "late_arrivals/newest", scope=scope, before=before).scalar_one()
    return found


def endings_since(connection: Connection, scope: uuid.UUID, before: int, occurred: datetime) -> list[Since]:
    """Return the claims below the position *before* that ended or corrected a belief, or may do so after a review.

    Only claims of episodes that occurred after *occurred* are returned.
    """
    rows = execute(connection, "late_arrivals/since", scope=scope, before=before, occurred=occurred)
    return [Since(claim_of(row), row.occurred, row.place, row.asked) for row in rows]


def source_claims(connection: Connection, scope: uuid.UUID, facts: Collection[uuid.UUID]) -> list[Since]:
    """Return the claims of packs that made or confirmed *facts*, each with its time in the ledger.

    Served by deltas_pkey and deltas_confirming.
    """
    made = {row.root for row in recorded_deltas(connection, scope, facts)}
    confirmed = connection.exec_driver_sql(
        "SELECT coalesce(again, id) FROM deltas "
        "WHERE scope = %(scope)s AND kind = 'noop' AND fact = ANY(%(facts)s::uuid[])",
        {"scope": scope, "facts": list(made.union(facts))},
    ).scalars()
    rows = recorded_deltas(connection, scope, made.union(confirmed))
    return [Since(claim_of(row), row.occurred, row.place) for row in rows if "claim" in row.payload and row.occurred]


def turns_since(
    connection: Connection, scope: uuid.UUID, before: int, occurred: datetime, words: Sequence[str]
) -> list[StoredEpisode]:
    """Return the turns below the position *before* that occurred after *occurred* and have one of *words*, in order."""
    asked = {"scope": scope, "before": before, "occurred": occurred, "words": list(words), "most": MOST_TURNS}
    return stored_episodes.stored(execute(connection, "late_arrivals/turns", **asked))
