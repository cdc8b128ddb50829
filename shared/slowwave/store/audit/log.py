"""The audit log records who changed or read a memory, and under which settings.

A row is written in the transaction of the change itself.

The installation chooses the level:

* `off`: nothing;
* `writes`: every change of a belief or another memory, and every decision to change nothing (noop);
* `reads`: recalls too, with the channels they searched, how much they found and how long they took;
* `verbose`: also the texts of questions and of written memories, and the id of every stored episode.

Only `verbose` writes a row for each stored episode. The inbox is append-only and already records who stored what and
when. A second row would add nothing, and every push would need another write.

Every row holds the settings and thresholds in force. A rollback of a change also removes the change's row. The level
and the settings belong to the `Database` that made a connection, so any code with a connection can write audit rows.
"""

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from sqlalchemy import Connection

from slowwave.domain.audit import AuditFilter, AuditRow
from slowwave.domain.scope import Scope
from slowwave.store.direct import send
from slowwave.store.encryption.cipher import each_text
from slowwave.store.encryption.columns import SESSION_KEYS
from slowwave.store.encryption.tenant_keys import cipher_of
from slowwave.store.statements import execute, sql
from slowwave.store.transaction import policy_of

Level = Literal["off", "writes", "reads", "verbose"]
LEVELS: tuple[Level, ...] = ("off", "writes", "reads", "verbose")
"""The levels, from nothing to everything."""

ALL = "all"
"""The memory type of a row about several types."""

_KEY = "slowwave.audit"


@dataclass(frozen=True, slots=True)
class Auditing:
    """The audit level of an installation, and the *settings* that are written to every row.

    Every row also holds the thresholds of the tenant's policy.
    """

    level: Level = "writes"
    settings: Mapping[str, Any] = field(default_factory=dict)

    def includes(self, level: Level) -> bool:
        """Return whether rows of *level* are written."""
        return LEVELS.index(level) <= LEVELS.index(self.level)

    def mark(self, connection: Connection) -> None:
        """Set the audit level and the settings for all rows that *connection* writes to the audit log."""
        connection.info[_KEY] = self


@dataclass(frozen=True, slots=True)
class Promoted:
    """The evidence of a promotion: the fact's origin, and the measures that were compared with the thresholds."""

    channel: str
    confidence: float
    access_count: int
    conversations: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the audit log. *affected* are ids of facts, episodes or other memories.

    *user_id* and *channel* default to those of *scope*. If *scope* is not stored yet, the caller must give both.

    *detail* holds counts and names; *payload* holds texts, which are written only at `verbose`.
    """

    operation: str
    memory_type: str
    scope: uuid.UUID | None = None
    user_id: str | None = None
    channel: str | None = None
    run: int | None = None
    session: str | None = None
    affected: Sequence[uuid.UUID] = ()
    target_channels: Sequence[str] = ()
    query_text: str | None = None
    result_count: int | None = None
    latency_ms: float | None = None
    error: str | None = None
    promoted: Promoted | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
    payload: Any = None


_WORDS = ("query_text", "error", "detail")
"""The fields of a row that hold words, and are encrypted if the tenant has a key."""


def audits(connection: Connection, level: Level) -> bool:
    """Return whether rows of *level* are written for this *connection*."""
    return _auditing(connection).includes(level)


def log(connection: Connection, entries: Sequence[Entry], *, level: Level = "writes") -> None:
    """Write *entries* in the transaction of *connection*, if the audit level includes *level*."""
    if not entries or not audits(connection, level):
        return
    auditing = _auditing(connection)
    in_force = {"audit": auditing.level, **auditing.settings, "policy": policy_of(connection).snapshot()}
    rows = [_row(entry, verbose=auditing.level == "verbose") for entry in entries]
    send(
        connection,
        sql("audit/write"),
        {"rows": json.dumps(_encrypted(connection, rows), default=str), "settings": json.dumps(in_force, default=str)},
    )


def _encrypted(connection: Connection, rows: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    if (cipher := cipher_of(connection)) is None:
        return rows
    return [
        row | {name: each_text(row[name], cipher.encrypt, SESSION_KEYS) for name in _WORDS if row.get(name)}
        for row in rows
    ]


def log_write(connection: Connection, operation: str, memory_type: str, **fields: Any) -> None:
    """Write that a memory was stored, updated, deleted or left unchanged; *fields* are those of an `Entry`."""
    log(connection, [Entry(operation, memory_type, **fields)])


def log_read(
    connection: Connection,
    question: str | None,
    *,
    memory_type: str,
    searched: Sequence[Scope],
    found: Mapping[Scope, Sequence[uuid.UUID]],
    latency_ms: float,
    session: str | None = None,
    verb: str = "recall",
    count: int | None = None,
) -> None:
    """Write that *verb* returned memories, with the *question* if there was one.

    *found* has the memories' ids by scope.

    The first scope of *searched* is the caller's; *session* is the session that the caller named, if any. *count* is
    the number of results, for results without ids. The row marks memories from another channel or agent.
    """
    here = searched[0]
    crossed = {
        "crossed": _ids((scope.channel, ids) for scope, ids in found.items() if scope.channel != here.channel),
        "crossed_agents": _ids((scope.agent, ids) for scope, ids in found.items() if scope.agent != here.agent),
    }
    entry = Entry(
        "retrieve",
        memory_type,
        scope=here.id,
        user_id=here.user,
        channel=here.channel,
        session=session,
        affected=[id_ for ids in found.values() for id_ in ids],
        target_channels=list(dict.fromkeys(scope.channel for scope in searched)),
        query_text=question if audits(connection, "verbose") else None,
        result_count=sum(map(len, found.values())) if count is None else count,
        latency_ms=latency_ms,
        detail={"verb": verb, **{name: ids for name, ids in crossed.items() if ids}},
    )
    log(connection, [entry], level="reads")


def rows(connection: Connection, wanted: AuditFilter, *, most: int) -> list[AuditRow]:
    """Return the latest rows that match *wanted*, at most *most* rows, newest first."""
    found = execute(connection, "audit/latest", **asdict(wanted), most=most).mappings()
    return [AuditRow(**row) for row in found]


def _ids(found: Iterable[tuple[str, Sequence[uuid.UUID]]]) -> dict[str, list[uuid.UUID]]:
    """Return the ids of memories by name, as text; omit names without ids."""
    of: dict[str, list[uuid.UUID]] = {}
    for name, ids in found:
        if ids:
            of.setdefault(name, []).extend(ids)
    return of


def _auditing(connection: Connection) -> Auditing:
    found = connection.info.get(_KEY, _DEFAULT)
    assert isinstance(found, Auditing)
    return found


_DEFAULT = Auditing()


def _row(entry: Entry, *, verbose: bool) -> dict[str, Any]:
    row = {name: getattr(entry, name) for name in Entry.__slots__}
    payload, promoted = row.pop("payload"), row.pop("promoted")
    row["affected"] = [str(id_) for id_ in entry.affected]
    if verbose and payload is not None:
        row["detail"] = {**entry.detail, "payload": payload}
    return row if promoted is None else row | {f"promoted_{name}": value for name, value in asdict(promoted).items()}
