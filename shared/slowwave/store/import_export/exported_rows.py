"""The exported rows of a scope. Rows are read in pages by key, and ids in rows can be mapped to another tenant."""

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.core.graph.edges import entity_id
from slowwave.domain.scope import Scope, keyed_namespace
from slowwave.store.fingerprints import Fingerprinter, fingerprinter
from slowwave.store.inbox.digests import possible_digests
from slowwave.store.statements import execute, sql

NOT_EXPORTED = {
    "episodes": {"terms"},
    "facts": {"terms"},
    "runs": {"intent"},
    "strategies": {"space", "embedding"},
    "goals": {"space", "embedding"},
    "consensus": {"space", "embedding"},
    "model_summaries": {"space", "embedding", "waiting", "upto"},
}
"""The columns of exported tables that are not exported: derived data, and references to unfinished work."""
IN_LINES_OF_DELTAS = {
    "delta_payloads": "delta payload",
    "delta_sources": "delta ordinal episode key position span_start span_end origin",
    "delta_origins": "delta ordinal relation scope memory",
}
"""The columns of tables whose rows are exported in the lines of the deltas."""
PAGE = 500
"""The number of rows per page."""
_PARTS = ("user", "agent", "channel")
_OWN = {"deltas": "import_export/deltas", "episode_keys": "import_export/keys"}
"""Tables whose rows are exported together with related rows."""
_OTHERS = uuid.UUID("6f0c5b1e-2f5c-5d0a-8b7b-9b1c4b7d2a11")


@dataclass(frozen=True, slots=True)
class ExportedTable:
    """An exported table. *columns* are the fields of each exported line. *scope_column* has the scope of a row.

    Rows are read in the order of the columns *order*, which are unique within the scope. The columns *ids* hold ids of
    memories, which differ in another tenant. In the column *numbered*, the database gives each row a number.
    """

    name: str
    columns: str
    order: str
    ids: str = ""
    numbered: str | None = None
    scope_column: str = "scope"


EXPORTED = (
    ExportedTable("watermarks", "pack position suspect planned newest", order="pack"),
    ExportedTable("episode_keys", "id position received digest erased", order="position", ids="id"),
    ExportedTable(
        "episodes",
        "position received id key occurred session role kind speaker content metadata utc_offset",
        order="position",
        ids="id",
    ),
    ExportedTable("unread_turns", "position received session language", order="position"),
    ExportedTable("conversations", "session first_at last_at episodes archived tombstoned touched", order="session"),
    ExportedTable("segments", "session number first last distance closed", order="session number"),
    ExportedTable("running_segments", "session number first recent before", order="session"),
    ExportedTable(
        "runs",
        "run job pack version lo hi fence owner started finished outcome counts settings error task",
        order="run",
        numbered="run",
    ),
    ExportedTable(
        "facts",
        "version fact belief subject predicate object single_valued valid recorded confidence rule position session "
        "form text tense ended_by",
        order="version",
        ids="fact ended_by",
        numbered="version",
    ),
    ExportedTable(
        "deltas",
        "id run pack rule kind mode position belief fact replaces valid confidence recorded fingerprint "
        "payload_digest again stands_at",
        order="recorded",
        ids="id fact replaces again",
    ),
    ExportedTable(
        "undos",
        "undo what reason by_whom asked withdraws run applied lifted added",
        order="undo",
        ids="undo withdraws added",
    ),
    ExportedTable("undone", "undo delta place", order="undo delta", ids="undo delta"),
    ExportedTable(
        "entities",
        "entity name first_seen last_seen faded tombstoned due frequency same_as near spelled",
        order="entity",
        ids="entity same_as near",
    ),
    ExportedTable(
        "standing",
        "memory created base surprise access_count frequency successes pinned kind source tier last_access reinforced "
        "evidence moved decay_due sweep_due promote_due accesses",
        order="memory",
        ids="memory",
    ),
    ExportedTable(
        "promotions",
        "promotion fact source_scope source_fact confirmed policy promoted undone due",
        order="promotion",
        ids="fact source_scope source_fact",
        numbered="promotion",
        scope_column="target",
    ),
    ExportedTable("edges", "fact source relation target kind valid weight", order="fact", ids="fact source target"),
    ExportedTable("graph_versions", "version run at added confirmed ended", order="version"),
    ExportedTable(
        "strategies",
        "strategy task description context_pattern tools successes failures created last_used fact",
        order="strategy",
        ids="strategy fact",
    ),
    ExportedTable("tool_stats", "tool task calls successes latency_ms last_used", order="tool task"),
    ExportedTable("sightings", "pattern bucket sources", order="pattern bucket", ids="pattern"),
    ExportedTable("legal_holds", "hold reason placed released", order="hold", numbered="hold"),
    ExportedTable(
        "dead_letters",
        "letter pack episode position category reason item state born seen",
        order="letter",
        ids="episode",
        numbered="letter",
    ),
    ExportedTable(
        "goals",
        "goal parent description status priority created completed deadline result blocked_by",
        order="goal",
        ids="goal parent blocked_by",
    ),
    ExportedTable(
        "consensus",
        "record stance topic topic_hash statement agents confidence reason metadata decided",
        order="record",
        ids="record",
    ),
    ExportedTable("model_summaries", "about session reached covered request model lines rests", order="about"),
)
"""Every exported table, in the order of import.

Not exported are the tenant and generated columns. Derived data is not exported: vectors, packed words, trees of
summaries, intents and firings. Data of the installation is not exported either: its log, its counts, its packs, its
model requests.
"""


COLUMNS = {table.name: table.columns.split() for table in EXPORTED}
"""The fields of a line, by table: the columns of the table, and related rows of other tables."""
COLUMNS["episode_keys"].append("key")
COLUMNS["deltas"] += ["payload", "sources", "origins"]


def scopes(
    connection: Connection, *, user: str | None, agent: str | None, channel: str | None
) -> Iterator[dict[str, Any]]:
    """Give the scopes of the tenant that match *user*, *agent* and *channel*, in order. None matches every value.

    Each scope comes with its names, its last position (`head`), its last delta and its last episode.
    """
    asked: dict[str, Any] = {"user": user, "agent": agent, "channel": channel, "most": PAGE}
    asked |= {f"after_{part}": "" for part in _PARTS}
    while True:
        page = execute(connection, "import_export/scopes", **asked).mappings().all()
        yield from (dict(row) for row in page)
        if len(page) < PAGE:
            return
        asked |= {f"after_{part}": page[-1]["user_id" if part == "user" else part] for part in _PARTS}


def rows(connection: Connection, scope: uuid.UUID) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every row of *scope* that is exported, with the name of its table.

    The tenant's key is not exported, so the digests of episodes are exported without the key, beside their words.
    """
    prints = fingerprinter(connection)
    for table in EXPORTED:
        for row in _rows(connection, table, scope):
            yield table.name, _with_plain_digest(row, prints) if table.name == "episode_keys" else row


def _with_plain_digest(row: dict[str, Any], prints: Fingerprinter) -> dict[str, Any]:
    """Return *row* of the table of episode keys with the plain digest of the episode, computed from its words.

    The digest stays as it is stored if it is plain, if the episode was erased, or if its words yield another digest.
    """
    said = row.pop("said")
    if row["key"] is None or row["erased"]:
        return row
    occurred, received = (datetime.fromisoformat(one) for one in (said.pop("occurred"), row["received"]))
    for digest in possible_digests(**said, occurred=occurred, received=received):
        if f"\\x{prints.payload(digest).hex()}" == row["digest"]:
            return row | {"digest": f"\\x{digest.hex()}"}
    return row


def _rows(connection: Connection, table: ExportedTable, scope: uuid.UUID) -> Iterator[dict[str, Any]]:
    after: dict[str, Any] = dict.fromkeys(table.order.split())
    while True:
        text = sql(_OWN[table.name]) if table.name in _OWN else _page(table, first=None in after.values())
        page = connection.exec_driver_sql(text, {"scope": scope, "most": PAGE, **after}).scalars().all()
        yield from page
        if len(page) < PAGE:
            return
        after = {name: page[-1][name] for name in after}


def _page(table: ExportedTable, *, first: bool) -> str:
    """Return the statement that reads a page, in the order of a key of the table."""
    order = ", ".join(f't."{name}"' for name in table.order.split())
    cursor = ", ".join(f"%({name})s" for name in table.order.split())
    columns = ", ".join(f't."{name}"' for name in table.columns.split())
    return (
        f"SELECT to_jsonb(line) FROM (SELECT {columns} FROM {table.name} AS t WHERE t.{table.scope_column} = %(scope)s"  # noqa: S608 - names of our own tables
        + ("" if first else f" AND ({order}) > ({cursor})")
        + f" ORDER BY {order} LIMIT %(most)s) AS line"
    )


class Renaming:
    """Maps exported ids to the ids of *tenant* in this installation. Without *tenant*, ids stay the same.

    *tenant* is None if the tenant is the same and both installations make ids with the same key. *scopes* are the
    scopes here, by exported id.
    """

    def __init__(self, tenant: str | None, scopes: Mapping[uuid.UUID, Scope]) -> None:
        self._tenant = tenant
        self._others = keyed_namespace() or _OTHERS
        self._scopes = {str(id_): str(scope.id) for id_, scope in scopes.items()}
        self._here: uuid.UUID | None = None
        self._episodes: dict[str, str] = {}

    @property
    def elsewhere(self) -> bool:
        """True if the ids of memories are mapped, because the tenant or the id key differs from the exported one."""
        return self._tenant is not None

    def enter(self, scope: Scope) -> None:
        """Begin to map the ids of *scope*; forget the episode ids of the previous scope."""
        self._here = scope.id
        self._episodes = {}

    def row(self, table: str, row: dict[str, Any]) -> dict[str, Any]:
        """Return *row* of *table* with mapped ids."""
        if self._tenant is None:
            return row
        if table == "episodes":
            assert self._here is not None
            return row | {"id": str(uuid.uuid5(self._here, row["key"]))}
        if table == "deltas":
            row = row | {"sources": [self._source(source) for source in row["sources"]]}
        id_columns = _IDS[table]
        return {name: self._value(value) if name in id_columns else value for name, value in row.items()}

    def key(self, row: Mapping[str, Any], name: str) -> dict[str, Any]:
        """Return *row* of the table of episode keys with the new id of the episode; remember the new id.

        *name* is the text of the key.
        """
        if self._tenant is None:
            return dict(row)
        assert self._here is not None
        self._episodes[row["id"]] = str(uuid.uuid5(self._here, name))
        return {**row, "id": self._episodes[row["id"]]}

    def entity(self, row: Mapping[str, Any]) -> None:
        """Remember the new id of an entity. The id depends on the name of the entity."""
        assert self._here is not None
        self._episodes[row["entity"]] = str(entity_id(self._here, row["name"]))

    def of_episode(self, scope: Scope, key: str | None) -> uuid.UUID | None:
        """Return the id of the episode in *scope* whose caller gave it *key*."""
        return None if key is None else uuid.uuid5(scope.id, key)

    def id(self, id_: str | None) -> str | None:
        """Return the id to which *id_* is mapped; None for None."""
        return id_ if id_ is None or self._tenant is None else self._renamed(str(id_))

    def _source(self, source: dict[str, Any]) -> dict[str, Any]:
        scope = self._here if source["origin"] is None else uuid.UUID(str(self._value(source["origin"])))
        assert scope is not None
        self._episodes.setdefault(source["episode"], str(uuid.uuid5(scope, source["key"])))
        return source

    def _value(self, value: Any) -> Any:
        match value:
            case str() if len(value) == 36 and value.count("-") == 4:
                return self._renamed(value)
            case list():
                return [self._value(one) for one in value]
            case dict():
                return {name: self._value(one) for name, one in value.items()}
            case _:
                return value

    def _renamed(self, value: str) -> str:
        if known := self._scopes.get(value) or self._episodes.get(value):
            return known
        try:
            return str(uuid.uuid5(self._others, f"{self._tenant}/{uuid.UUID(value)}"))
        except ValueError:  # a text that only looks like an id
            return value


_IDS = {table.name: frozenset({*table.ids.split(), "item", "sources", "origins"}) for table in EXPORTED}
"""The fields of each table that hold ids, including JSON fields with ids of memories."""
