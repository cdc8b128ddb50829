"""Reads of facts: the facts that a scope believes as of any time, and the explanation of each fact."""

import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection

from slowwave.core.time_spans import BEGINNING
from slowwave.domain.claim import Form, Origin, Source
from slowwave.domain.explanation import Evidence, Explanation, MissingEpisode, Replaced, Step
from slowwave.domain.fact import Fact
from slowwave.domain.scope import Scope
from slowwave.errors import NotFound
from slowwave.store.beliefs.deltas import ERASED, text_of
from slowwave.store.statements import IN_PARTS, execute, sql


def facts(
    connection: Connection,
    scopes: Sequence[uuid.UUID],
    *,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    everything: bool = False,
    form: Form | None = None,
    named: Collection[uuid.UUID] | None = None,
    after: uuid.UUID | None = None,
    most: int | None = None,
) -> list[Fact]:
    """Return the facts believed in *scopes*, ordered by subject, predicate and object.

    *as_of* is the valid time, *known_at* the recorded time; None means now. *everything* includes facts valid at other
    times. *form* selects the facts of one form, *named* the facts with these ids. *most* limits the page. The page
    starts after the fact *after*, if that fact is given. Raises `NotFound` if *after* is not among the facts.
    """
    asked = {"scopes": list(scopes), "as_of": as_of, "known_at": known_at, "everything": everything, "form": form}
    names = None if named is None else list(named)
    found = _read(connection, {**asked, "facts": names, "after": after, "most": most})
    if after and not found and not _read(connection, {**asked, "facts": [after], "after": None, "most": 1}):
        raise NotFound(f"there is no fact {after} among these", hint="pass the last fact of a page")
    return found


def versions(connection: Connection, fact: uuid.UUID, *, most: int) -> list[Fact]:
    """Return at most *most* versions of the belief that *fact* belongs to, in the order in which they were recorded."""
    rows = execute(connection, "beliefs/versions", fact=fact, most=most)
    scope_of = cache(Scope)
    return [_fact(row, scope_of) for row in rows]


def _read(connection: Connection, asked: Mapping[str, Any]) -> list[Fact]:
    many = asked["facts"] is None and asked["most"] is None
    rows = connection.exec_driver_sql(sql("beliefs/as_of"), asked, execution_options=IN_PARTS if many else {})
    scope_of = cache(Scope)  # there are many facts and few scopes
    return [_fact(row, scope_of) for row in rows]


def _fact(row: Any, scope_of: Callable[..., Scope]) -> Fact:
    """Return the fact in a row, read by the order of the columns: there are many rows, and access by name is slower."""
    id_, subject, predicate, object_, valid_from, valid_to, since, until, *sure, tenant, user, agent, channel, cited = (
        row
    )
    confidence, rule, session, form, text, tense = sure
    return Fact(
        id_, subject, predicate, object_, valid_from or BEGINNING, valid_to, since, until, confidence, rule, session,
        tuple(source(*each) for each in cited or ()), scope_of(tenant, user, agent, channel), text, form, tense,
    )  # fmt: skip


def source(episode: str, key: str, position: int, start: int, end: int, scope: str | None) -> Source:
    """Return a `Source` made from its values in JSON."""
    return Source(uuid.UUID(episode), key, position, start, end, uuid.UUID(scope) if scope else None)


def why(connection: Connection, fact: uuid.UUID) -> Explanation | None:
    """Return the explanation why a fact is or was believed, or None if the tenant has no such fact."""
    rows = execute(connection, "beliefs/why", fact=fact).mappings().all()
    if not rows:
        return None
    state = execute(connection, "beliefs/why_believed", fact=fact).one()
    steps = tuple(_step(row) for row in rows)
    scope = Scope(state.tenant, state.user_id, state.agent, state.channel)
    return Explanation(fact, state.text, state.held, steps, state.form, state.tense, scope, state.until)


def _step(row: Any) -> Step:
    return Step(
        delta=row["id"],
        kind=row["kind"],
        text=text_of(row["payload"]) or ERASED,
        rule=row["rule"],
        reason=(row["payload"] or {}).get("reason", ERASED),
        confidence=row["confidence"],
        recorded=row["recorded"],
        run=row["run"],
        replaces=tuple(_replaced(item) for item in row["replaces"] or ()),
        evidence=tuple(_evidence(item) for item in row["evidence"] or ()),
        origins=tuple(
            Origin(name, uuid.UUID(scope), uuid.UUID(memory)) for name, scope, memory in row["origins"] or ()
        ),
        missing=tuple(
            MissingEpisode(
                uuid.UUID(item["episode"]), item["position"], datetime.fromisoformat(item["received"]), item["erased"]
            )
            for item in row["missing"] or ()
        ),
    )


def _replaced(item: dict[str, Any]) -> Replaced:
    recorded = datetime.fromisoformat(item["recorded"])
    return Replaced(uuid.UUID(item["fact"]), text_of(item["payload"]) or ERASED, item["rule"], recorded)


def _evidence(item: dict[str, Any]) -> Evidence:
    return Evidence(
        episode=uuid.UUID(item["episode"]),
        key=item["key"],
        position=item["position"],
        occurred=datetime.fromisoformat(item["occurred"]),
        session=item["session"],
        speaker=item["speaker"],
        content=item["content"],
        words=item["content"][item["start"] : item["end"]],
        channel=item["channel"],
        start=item["start"],
    )
