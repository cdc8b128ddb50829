"""The targets of an erasure by scope: named targets, targets derived from other scopes, and texts outside memories."""

import json
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import Connection

from slowwave.core.erasure import hearing, mentions
from slowwave.domain.erasure import Wanted
from slowwave.domain.job_table import UNDO, pack_of
from slowwave.store.beliefs.manual_corrections import GRAPH_PACK, PACK
from slowwave.store.statements import IN_PARTS, execute, sql

AT_ONCE = 500
_LETTERS = """
SELECT letter, tenant, jsonb_build_array(item, reason) AS texts FROM dead_letters
WHERE letter > %(after)s AND (item IS NOT NULL OR reason <> 'erased') ORDER BY letter LIMIT %(most)s
"""
_BY_PEOPLE = [PACK, GRAPH_PACK, pack_of(UNDO)]
"""The packs of the deltas whose reasons people write, beside those of reviews and of rules by hand."""
MOST_SHOWN = 20
"""The maximum number of episodes, and of facts, whose texts a preview shows."""
_OWNED = """
SELECT 'quotas' AS place, NULL AS scope, what AS id FROM quotas WHERE user_id = %(user)s
UNION ALL
SELECT 'model_calls', NULL, call::text FROM model_calls WHERE user_id = %(user)s
UNION ALL
SELECT 'webhooks', NULL, webhook::text FROM webhooks WHERE user_id = %(user)s
"""
_EPISODES = """
SELECT slowwave_left(content, 120) AS text, count(*) OVER () AS total FROM episodes
WHERE scope = %(scope)s AND (%(everything)s OR position = ANY(%(positions)s::bigint[]))
ORDER BY position LIMIT %(most)s
"""
_FACTS = """
SELECT slowwave_left(f.text, 120) AS text, count(*) OVER () AS total FROM facts AS f
WHERE f.scope = %(scope)s AND upper_inf(f.recorded)
    AND (
        %(everything)s OR f.fact = ANY(%(memories)s::uuid[]) OR EXISTS (
            SELECT FROM delta_sources AS s
            WHERE s.delta = f.fact AND s.origin IS NULL AND s.position = ANY(%(positions)s::bigint[])
        )
    )
ORDER BY f.version LIMIT %(most)s
"""


def letters_naming(connection: Connection, wanted: Wanted, tenant: str, *, otherwise: str) -> list[int]:
    """Return the numbers of the dead letters that name a target of *wanted*.

    Letters that name no tenant count as letters of the tenant *otherwise*. *connection* has the role eraser, which
    reads the dead letters of the tenant and of the installation. One scan reads all letters.
    """
    found: list[int] = []
    after = 0
    while rows := connection.exec_driver_sql(_LETTERS, {"after": after, "most": AT_ONCE}).all():
        after = rows[-1].letter
        found += [
            row.letter
            for row in rows
            for home in [tenant if row.tenant == tenant else otherwise]
            if mentions(json.dumps(row.texts, ensure_ascii=False), wanted, tenant, otherwise=home)
        ]
    return found


@dataclass(slots=True)
class Target:
    """The part of an erasure in one scope: the whole scope if *everything*, or else some episodes and memories.

    *positions* are the positions of the episodes. Memories derived from these episodes and *memories* are erased, too.
    """

    everything: bool = False
    positions: set[int] = field(default_factory=set)
    memories: set[uuid.UUID] = field(default_factory=set)


Targets = Mapping[uuid.UUID, Target]


class Reason(NamedTuple):
    """A reason that people wrote, or a name outside of scopes: its table and column, its scope if any, and its row."""

    place: str
    scope: uuid.UUID | None
    id: str


def targets_of(connection: Connection, wanted: Wanted) -> Targets:
    """Return the targets of a request by scope, in order of scope."""
    scopes = _scopes(connection, wanted)
    found: dict[uuid.UUID, Target] = {}
    match wanted.kind:
        case "user" | "scope":
            found = {scope: Target(everything=True) for scope in scopes or ()}
        case "fact":
            _add(found, execute(connection, "erasure/sources", fact=wanted.fact))
        case "session" | "matching":
            heard, asked = hearing(wanted) or bool, {"scopes": scopes, "session": wanted.session}
            for scope, position, _ in _heard_rows(connection, sql("erasure/matching"), heard, asked):
                found.setdefault(scope, Target()).positions.update({position} - {None})
            for scope, place, names, _ in named_in(connection, wanted, scopes):
                memories = map(uuid.UUID, names if place == "memory" else ())
                found.setdefault(scope, Target()).memories.update(memories)
    if wanted.scope is not None and wanted.kind == "fact" and wanted.scope.id not in found:
        found = {}
    _add_promoted(connection, found)
    return dict(sorted(found.items()))


def named_in(connection: Connection, wanted: Wanted, scopes: list[uuid.UUID] | None) -> list[Sequence[Any]]:
    """Return the rows of `erasure/names` with the words of a request: each has a scope, a place, names and texts."""
    heard = hearing(wanted) if wanted.kind == "matching" else None
    return list(_heard_rows(connection, sql("erasure/names"), heard, {"scopes": scopes})) if heard else []


def reasons_naming(connection: Connection, wanted: Wanted) -> list[Reason]:
    """Return the reasons that contain the words of a request, or the name of the user whom it erases.

    The name is searched in the whole tenant, in the reasons that people wrote, and as the user of quotas, model
    calls and webhooks.
    """
    owned = connection.exec_driver_sql(_OWNED, {"user": wanted.user if wanted.kind == "user" else None})
    found = [Reason(*row) for row in owned]
    if (heard := hearing(wanted)) is None:
        return found
    asked: dict[str, Any] = {"packs": None, "scopes": _scopes(connection, wanted)}
    if wanted.kind == "user":
        asked = {"packs": _BY_PEOPLE, "scopes": None}
    rows = _heard_rows(connection, sql("erasure/reasons"), heard, asked)
    return found + [Reason(place, scope, id_) for place, scope, id_, _ in rows]


def _heard_rows(
    connection: Connection, statement: str, heard: Callable[[object], bool], asked: Mapping[str, Any]
) -> Iterator[Sequence[Any]]:
    """Yield the rows of *statement* whose last column passes the test *heard*.

    The texts are compared here, because they may be encrypted.
    """
    with closing(connection.exec_driver_sql(statement, dict(asked), execution_options=IN_PARTS)) as rows:
        yield from (row for row in rows if heard(row[-1]))


def loose_audits(connection: Connection, wanted: Wanted) -> list[int]:
    """Return the audit rows that name the user, the session or the words to forget."""
    scopes = None if wanted.scope is None else [wanted.scope.id]
    named = execute(connection, "erasure/loose", user=wanted.user, session=wanted.session, scopes=scopes).scalars()
    found = set(named)
    if (heard := hearing(wanted)) is not None:
        asked = {"scopes": scopes, "user": None if wanted.kind == "user" else wanted.user}
        found.update(row for _, row, _ in _heard_rows(connection, sql("erasure/audit_texts"), heard, asked))
    return sorted(found)


def shown(connection: Connection, targets: Targets) -> tuple[dict[str, int], list[str], list[str]]:
    """Return how many episodes, facts and memories would be erased, and the texts of the first episodes and facts."""
    counts = {"episodes": 0, "facts": 0}
    words: tuple[list[str], list[str]] = ([], [])
    for scope, target in targets.items():
        asked = {"scope": scope, "everything": target.everything, "positions": sorted(target.positions)}
        asked |= {"memories": list(target.memories), "most": MOST_SHOWN}
        for name, statement, into in (("episodes", _EPISODES, words[0]), ("facts", _FACTS, words[1])):
            rows = connection.exec_driver_sql(statement, asked).all()
            counts[name] += rows[0].total if rows else 0
            into += [row.text for row in rows]
        if target.memories:
            counts["memories"] = counts.get("memories", 0) + len(target.memories)
    return counts, words[0][:MOST_SHOWN], words[1][:MOST_SHOWN]


def _scopes(connection: Connection, wanted: Wanted) -> list[uuid.UUID] | None:
    """Return the scopes to which a request is limited; None if the request covers the whole tenant."""
    if wanted.scope is None and wanted.user is None:
        return None
    rows = connection.exec_driver_sql(
        "SELECT scope FROM scope_heads WHERE tenant = slowwave_tenant() AND erased IS NULL "
        "AND (scope = %(scope)s OR user_id = %(user)s) ORDER BY scope",
        {"scope": wanted.scope and wanted.scope.id, "user": None if wanted.scope else wanted.user},
    )
    return list(rows.scalars())


def _add(found: dict[uuid.UUID, Target], rows: Iterable[Any]) -> None:
    for scope, positions in rows:
        found.setdefault(scope, Target()).positions.update(positions)


def _add_promoted(connection: Connection, found: dict[uuid.UUID, Target]) -> None:
    """Add the scopes to which facts of the targets in *found* were promoted: the copies cite the same words."""
    for scope, target in list(found.items()):
        asked = {"scope": scope, "everything": target.everything, "positions": sorted(target.positions)}
        for other in execute(connection, "erasure/derived", **asked).scalars():
            found.setdefault(other, Target())
