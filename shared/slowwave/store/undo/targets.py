"""Targets of an undo: the claims of runs, of a pack or of a delta, and later decisions that depend on these claims."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.core.belief_changes import REASONS, STILL_VALID_RULE, name_of
from slowwave.core.contradiction.reconsideration import Kind
from slowwave.domain.job_table import RECONSIDER, pack_of
from slowwave.domain.undo import Wanted
from slowwave.errors import Incorrect, NotFound
from slowwave.store.statements import execute, exists

SAME: Kind = "same"
UNDO_OF = "the undo of "
Places = Mapping[uuid.UUID, datetime]
"""The first decisions about claims, each with its place in the order in which the claims were told."""
Claims = Mapping[uuid.UUID, Places]
"""The first decisions about claims, with their places, by scope."""


@dataclass(frozen=True, slots=True)
class Target:
    """The target of an undo: the *claims* to leave out, and the claims to restore (*back*).

    *withdraws* is the id of an undo that this undo takes back.

    *words* describe the target. *added* are the claims that a replay adds, by scope. For the undo of a replay, *added*
    are the claims that the undo restores.
    """

    words: str
    claims: Claims = field(default_factory=dict)
    withdraws: uuid.UUID | None = None
    back: Claims = field(default_factory=dict)
    added: Mapping[uuid.UUID, Sequence[uuid.UUID]] | None = None

    @property
    def every(self) -> Claims:
        """All claims to leave out or to restore, by scope."""
        scopes = self.claims.keys() | self.back.keys()
        return {scope: {**self.claims.get(scope, {}), **self.back.get(scope, {})} for scope in scopes}


def target_of(connection: Connection, wanted: Wanted, scopes: Sequence[uuid.UUID] | None) -> Target:
    """Return the target of an undo in *scopes*, or in all scopes of the tenant.

    Raises `NotFound` for an unknown run, delta or pack version, and `Incorrect` if there is nothing to undo.
    """
    if (earlier := _earlier(connection, wanted)) is not None:
        return _taken_back(connection, earlier)
    claims = _claims(connection, wanted, scopes)
    if not claims:
        where = "" if scopes is None else " here"
        told = execute(connection, "summaries/retold", runs=_runs(connection, wanted), scopes=scopes).scalars()
        facts = ", ".join(map(str, told))
        raise Incorrect(
            f"nothing to undo{where}: {wanted.words} changed no belief",
            hint=f"a model wrote summaries: `slowwave correct` with a fact removes one: {facts}"
            if facts
            else "`slowwave runs` shows what each run wrote",
        )
    return Target(wanted.words, with_derived(connection, claims))


def _earlier(connection: Connection, wanted: Wanted) -> uuid.UUID | None:
    """Return the undo with the id or the run that *wanted* names, or None. Served by undos_of_order."""
    if wanted.run is None and wanted.id is None:
        return None
    found: uuid.UUID | None = connection.exec_driver_sql(
        "SELECT undo FROM undos WHERE undo = %(id)s OR run = %(run)s LIMIT 1", {"id": wanted.id, "run": wanted.run}
    ).scalar_one_or_none()
    return found


def _taken_back(connection: Connection, undo: uuid.UUID) -> Target:
    """Return the target that withdraws an undo. If this undo withdrew an earlier one, the earlier one is done again."""
    rows = connection.exec_driver_sql(
        "SELECT scope, what, withdraws, applied, lifted, added FROM undos WHERE undo = %(undo)s ORDER BY scope",
        {"undo": undo},
    ).all()
    words = f"{UNDO_OF}{rows[0].what}"
    if any(row.lifted for row in rows) and not _is_withdrawn(connection, undo):
        raise Incorrect(f"nothing to undo: {words} was taken back", hint="`slowwave undo --list` shows every undo")
    if any(row.applied is None for row in rows):
        raise Incorrect(f"{words} is not finished", hint="ask for it again: that finishes it")
    own = {row.scope: left_out(connection, row.scope, undo) for row in rows}
    if any(row.added is not None for row in rows):
        return _put_back(connection, rows, Target(words, withdraws=undo, back=own))
    out = {row.scope: _decided_since(connection, row.scope, row.applied) for row in rows}
    for row in rows:
        out[row.scope] |= left_out(connection, row.scope, row.withdraws) if row.withdraws else {}
    return Target(words, out, undo, back=own)


def _decided_since(connection: Connection, scope: uuid.UUID, applied: datetime) -> dict[uuid.UUID, datetime]:
    """Return the decisions of reconsideration, each with its time, that depend on an undo.

    They were made after the time *applied* of the undo, because of a turn that was read before it. They are left out if
    the undo is withdrawn.
    """
    asked = {"scope": scope, "applied": applied, "reconsider": pack_of(RECONSIDER), "held": STILL_VALID_RULE}
    return {row.delta: row.place for row in execute(connection, "undo/decided_since", **asked)}


def _put_back(connection: Connection, replays: Sequence[Any], target: Target) -> Target:
    """Return *target*, changed to leave out the claims that a replay added. *replays* are its rows, one per scope.

    Raises `Incorrect` if a later replay is in force in a scope, or if the claims were erased in all scopes.
    """
    claims: dict[uuid.UUID, Places] = {}
    for replay in replays:
        _refuse_if_replayed_since(connection, replay)
        asked = {"scope": replay.scope, "ids": replay.added}
        places = {row.delta: row.place for row in execute(connection, "undo/added", **asked)}
        if places or target.back[replay.scope]:
            claims[replay.scope] = places
    if not claims:
        raise Incorrect(f"nothing to undo: the words behind {replays[0].what} were erased")
    back = {scope: target.back[scope] for scope in claims}
    added = {scope: [*restored] for scope, restored in back.items()}
    return replace(target, claims=with_derived(connection, claims), back=back, added=added)


def _refuse_if_replayed_since(connection: Connection, replay: Any) -> None:
    later = connection.exec_driver_sql(
        "SELECT undo, what FROM undos WHERE scope = %(scope)s AND added IS NOT NULL AND lifted IS NULL "
        "AND applied > %(applied)s ORDER BY applied DESC",
        {"scope": replay.scope, "applied": replay.applied},
    )
    for undo, what in later:
        if what.count(UNDO_OF) % 2 == 0:
            raise Incorrect(f"{what} came later", hint=f"undo that first: `slowwave undo {undo}`")


def _is_withdrawn(connection: Connection, undo: uuid.UUID) -> bool:
    """Return whether an order that withdraws an undo is in force. Scans the tenant's orders, which are few."""
    return exists(connection, "FROM undos WHERE withdraws = %(undo)s AND lifted IS NULL", undo=undo)


def left_out(connection: Connection, scope: uuid.UUID, undo: uuid.UUID) -> dict[uuid.UUID, datetime]:
    """Return the claims that an undo leaves out of a scope. Served by undone_pkey."""
    rows = connection.exec_driver_sql(
        "SELECT delta, place FROM undone WHERE scope = %(scope)s AND undo = %(undo)s", {"scope": scope, "undo": undo}
    )
    return {row.delta: row.place for row in rows}


def _claims(connection: Connection, wanted: Wanted, scopes: Sequence[uuid.UUID] | None) -> Claims:
    if wanted.id is not None:
        return _claim_of(connection, wanted.id, scopes)
    asked = {"runs": _runs(connection, wanted), "since": wanted.since, "scopes": scopes}
    found: dict[uuid.UUID, dict[uuid.UUID, datetime]] = {}
    for scope, delta, place in execute(connection, "undo/claims", **asked):
        found.setdefault(scope, {})[delta] = place
    return found


def _claim_of(connection: Connection, delta: uuid.UUID, scopes: Sequence[uuid.UUID] | None) -> Claims:
    """Return the claim that *delta* decides, first or again, with its time in the ledger. Served by deltas_pkey."""
    row = connection.exec_driver_sql(
        "SELECT r.scope, r.id, coalesce(r.stands_at, r.recorded) AS place FROM deltas d "
        "JOIN deltas r ON r.id = coalesce(d.again, d.id) WHERE d.id = %(delta)s",
        {"delta": delta},
    ).one_or_none()
    if row is None or (scopes is not None and row.scope not in scopes):
        raise NotFound(f"there is no delta {delta} here", hint="`slowwave deltas` and `slowwave why` show their ids")
    return {row.scope: {row.id: row.place}}


def _runs(connection: Connection, wanted: Wanted) -> list[int] | None:
    """Return the runs that *wanted* names; None for all runs."""
    if wanted.run is not None:
        row = connection.exec_driver_sql(
            "SELECT outcome FROM runs WHERE run = %(run)s", {"run": wanted.run}
        ).one_or_none()
        if row is None:
            raise NotFound(f"there is no run {wanted.run} here", hint="`slowwave runs` lists the runs of the tenant")
        if row.outcome is None:
            raise Incorrect(f"run {wanted.run} has not ended", hint="wait for its end; `slowwave runs` shows it")
        return [wanted.run]
    if wanted.pack is None:
        return None
    runs = list(execute(connection, "undo/runs", pack=wanted.pack, version=wanted.version).scalars())
    if not runs:
        versions = connection.exec_driver_sql(
            "SELECT DISTINCT version FROM runs WHERE pack = %(pack)s ORDER BY version", {"pack": wanted.pack}
        ).scalars()
        ran = ", ".join(f"{wanted.pack}@{version}" for version in versions)
        raise NotFound(
            f"no run of {wanted.pack}@{wanted.version} is known here",
            hint=f"these ran: {ran}" if ran else "`slowwave runs` shows which packs ran",
        )
    return runs


def with_derived(connection: Connection, claims: Claims) -> Claims:
    """Return *claims*, and the reconsiderations and summaries that depend on the facts of *claims*."""
    facts = facts_of(connection, claims)
    if not facts:
        return claims
    rows = execute(
        connection,
        "undo/derived",
        scopes=list(claims),
        facts=list(facts),
        since=min(place for each in claims.values() for place in each.values()),
        reconsider=pack_of(RECONSIDER),
    ).all()
    found = {scope: dict(each) for scope, each in claims.items()}
    caused = {row.id for row in rows if row.summarises or _is_caused(row, facts)}
    caused |= {uuid.uuid5(change, "withdrawn") for change in caused}
    for row in rows:
        if row.id in caused:
            found[row.scope][row.id] = row.place
    return found


def _is_caused(row: Any, facts: Mapping[uuid.UUID, uuid.UUID]) -> bool:
    """Return whether a reconsideration was caused by one of *facts* or its episode, or merged one of *facts*."""
    if row.fact in facts and row.rule.endswith(f"{SAME}@1"):
        return True
    words = [fact for fact, episode in facts.items() if episode == row.episode]
    if row.fact is None or not words:
        return False
    return any(row.id == name_of(row.scope, kind, row.fact, one) for kind in REASONS for one in (*words, row.episode))


def facts_of(connection: Connection, claims: Claims) -> dict[uuid.UUID, uuid.UUID]:
    """Return the facts that *claims* made, each with the episode that states the fact."""
    deltas = [delta for each in claims.values() for delta in each]
    rows = execute(connection, "undo/facts", scopes=list(claims), deltas=deltas)
    return {row.fact: row.episode for row in rows}
