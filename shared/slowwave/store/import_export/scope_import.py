"""The import of a scope. One transaction writes all rows of the scope."""

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection

from slowwave.core.beliefs.identity import BeliefKey, belief_key, identity
from slowwave.core.contradiction.people import EVERY
from slowwave.core.contradiction.words import words_of
from slowwave.core.time_spans import BEGINNING
from slowwave.domain.claim import Form, Tense
from slowwave.domain.job_table import PUSHED, REEMBED, pack_of
from slowwave.domain.limits import canonical_json
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict
from slowwave.store.access.stored_words import note
from slowwave.store.beliefs.stated_claims import keep_words
from slowwave.store.encryption.cipher import each_text
from slowwave.store.encryption.columns import ENCRYPTED
from slowwave.store.encryption.tenant_keys import cipher_of
from slowwave.store.fingerprints import Fingerprinter, fingerprinter
from slowwave.store.graph import rebuild
from slowwave.store.import_export.exported_rows import EXPORTED, IN_LINES_OF_DELTAS, NOT_EXPORTED, Renaming
from slowwave.store.inbox.stored_episodes import create_scopes
from slowwave.store.statements import execute
from slowwave.store.transaction import space_number
from slowwave.store.work_queue import intents

NOWHERE = "imported"
"""The embedding space of zero vectors, which imported rows have until their real vectors are computed."""
_GRAPH = ("entities", "edges", "graph_versions")
_TABLES = {table.name: table for table in EXPORTED}
_COLUMNS = {name: set(columns.split()) for name, columns in IN_LINES_OF_DELTAS.items()}
_COLUMNS |= {table.name: {*table.columns.split(), *NOT_EXPORTED.get(table.name, ())} for table in EXPORTED}


def there(connection: Connection, scope: Scope, head: Mapping[str, Any], names: Renaming) -> bool:
    """Lock the row of *scope*; return whether the exported scope described by *head* was imported before."""
    asked = {"scope": scope.id, "episode": names.of_episode(scope, head["key"]), "delta": names.id(head["delta"])}
    row = execute(connection, "import_export/scope_state", **asked).one_or_none()
    if row is None:
        return False
    if row.lived and not (row.episode and row.delta):
        raise Conflict(
            f"{scope.user}, as {scope.agent} knows them in {scope.channel}, already has other memories here",
            hint="import into an installation or a tenant without memories of them: --tenant NAME",
        )
    return bool(row.lived or row.moved)


class ScopeImport:
    """Writes the rows of one imported scope in the transaction of *connection*, in the order of `EXPORTED`."""

    def __init__(self, connection: Connection, scope: Scope, names: Renaming) -> None:
        create_scopes(connection, [scope])
        names.enter(scope)
        self._connection = connection
        self._scope = scope
        self._names = names
        self._prints = fingerprinter(connection)
        self._beliefs: dict[int, int] = {}
        self._runs: dict[int, int] = {}
        self._matters: dict[str, str] = {}

    def put(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert *rows* of *table*.

        If ids are mapped, skip rows of the graph, because `stand` rebuilds the graph from the facts.
        """
        if self._names.elsewhere and table in _GRAPH:
            for row in rows if table == "entities" else ():
                self._names.entity(row)
            return
        if table == "episode_keys":
            renamed = [self._names.key(row, row["key"] or row["id"]) for row in rows]
            self._insert(table, [_without(self._with_keyed_digest(row), {"key"}) for row in renamed])
            return
        renamed = [self._names.row(table, dict(row)) for row in rows]
        match table:
            case "episodes":
                for row in renamed:
                    note(self._connection, row["content"], json.dumps(row["metadata"], ensure_ascii=False))
                self._insert(table, renamed)
            case "watermarks":
                self._execute("import_export/set_watermarks", rows=json.dumps(renamed))
            case "runs":
                self._put_runs(renamed)
            case "facts":
                self._number_beliefs({row["belief"]: _key(row) for row in renamed})
                opened = [(self._beliefs[row["belief"]], _claim_columns(row)) for row in renamed]
                keep_words(self._connection, self._scope.id, opened, self._prints)
                self._insert(table, [{**row, "belief": self._beliefs[row["belief"]]} for row in renamed])
            case "deltas":
                self._put_deltas(renamed)
            case _:
                if table in ("graph_versions", "dead_letters", "undos"):
                    renamed = [self._of_run(row) for row in renamed]
                self._insert(table, renamed)

    def stand(self, head: Mapping[str, Any], space: tuple[str, int]) -> list[tuple[uuid.UUID, str]]:
        """Set the scope's last position and times, and create intents for the work that remains after an import.

        This work is the computation of vectors in *space*, and the due jobs.
        """
        self._execute(
            "import_export/set_scope_head",
            **{name: head[name] for name in ("head", "touched", "fence", "last_recorded")},
        )
        if self._names.elsewhere and head["delta"]:
            at = datetime.fromisoformat(head["last_recorded"])
            rebuild.make(self._connection, self._scope.id, run=None, at=at)
        nowhere = space_number(self._connection, NOWHERE, space[1])
        self._execute(
            "import_export/await_embedding",
            space=nowhere,
            target=space_number(self._connection, *space),
            dimensions=space[1],
        )
        due = execute(
            self._connection,
            "inbox/intents",
            scopes=[self._scope.id],
            olds=[head["head"]],
            news=[head["head"]],
            pushed=list(PUSHED),
        )
        found = [(scope, job) for scope, job, at_once in due if at_once]
        intents.ask(
            self._connection, scope=self._scope.id, tenant=self._scope.tenant, job=REEMBED, pack=pack_of(REEMBED),
            target=0,
        )  # fmt: skip
        return [*found, (self._scope.id, REEMBED)]

    def _with_keyed_digest(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return *row* of the table of episode keys with the keyed digest. The digest of an erased episode stays."""
        if row["erased"]:
            return dict(row)
        return {**row, "digest": f"\\x{self._prints.payload(bytes.fromhex(row['digest'][2:])).hex()}"}

    def _put_runs(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert ended runs under new numbers; skip a run that was still running."""
        ended = [row for row in rows if row["finished"] is not None]
        if not ended:
            return
        found = self._insert("runs", [{**_without(row, {"run"}), "intent": 0} for row in ended], giving="run")
        self._runs.update(zip((row["run"] for row in ended), found, strict=True))

    def _put_deltas(self, rows: Sequence[Mapping[str, Any]]) -> None:
        unknown = {row["belief"]: row for row in rows if row["belief"] is not None}
        self._number_beliefs(
            {
                number: _key(row["payload"]) if row["payload"] else None
                for number, row in unknown.items()
                if number not in self._beliefs
            }
        )
        self._insert("delta_payloads", [
            {"delta": row["id"], "payload": row["payload"]} for row in rows if row["payload"] is not None
        ], own=False)  # fmt: skip
        self._insert("delta_sources", [s | {"delta": row["id"]} for row in rows for s in row["sources"]], own=False)
        self._insert("delta_origins", [o | {"delta": row["id"]} for row in rows for o in row["origins"]], own=False)
        self._insert("deltas", [
            {
                **_without(self._of_run(row), {"payload", "sources", "origins"}),
                **_proof(self._prints, row, self._matter(row)),
                "belief": None if row["belief"] is None else self._beliefs[row["belief"]],
            }
            for row in rows
        ])  # fmt: skip

    def _number_beliefs(self, keys: Mapping[int, BeliefKey | None]) -> None:
        """Give the beliefs with these numbers in the source database new numbers in this database."""
        new = {
            number: self._prints.belief(key) if key else self._prints.payload(b"belief %d" % number)
            for number, key in keys.items()
            if number not in self._beliefs
        }
        if not new:
            return
        made = execute(self._connection, "beliefs/apply_beliefs", scope=self._scope.id, digests=list(new.values()))
        numbers = {bytes(digest): belief for digest, belief in made}
        self._beliefs.update({number: numbers[digest] for number, digest in new.items()})

    def _matter(self, row: Mapping[str, Any]) -> str | None:
        """Return the last word of the thing that changed, if the delta in *row* reports a change; else None."""
        claim = (row["payload"] or {}).get("claim", {})
        if claim.get("effect") and (words := words_of(claim.get("object", row["payload"]["object"]))):
            self._matters[row["id"]] = words[-1]
        return None if row["mode"] == "withdraw" else self._matters.get(row["again"] or row["id"])

    def _of_run(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return {**row, "run": self._runs.get(row["run"])} if "run" in row else dict(row)

    def _insert(
        self, table: str, rows: Iterable[Mapping[str, Any]], *, giving: str | None = None, own: bool = True
    ) -> list[int]:
        """Insert *rows*, which all have the same columns; return the values of the column *giving*.

        If *own* is true, each inserted row also gets the scope.
        """
        inserted = list(rows)
        if not inserted:
            return []
        exported = _TABLES.get(table)
        scope_column = exported.scope_column if exported and own else None
        names = [name for name in inserted[0] if exported is None or name != exported.numbered]
        if unknown := set(names) - _COLUMNS[table]:
            raise KeyError(f"{table} has no columns {unknown}")
        searched = _SEARCHED.get(table)
        words = [row[searched] for row in inserted] if searched else []
        inserted = [_encrypted(self._connection, table, row) for row in inserted]
        columns = ", ".join(f'"{name}"' for name in names)
        terms, of_words = (", terms", ", strip(to_tsvector('english', line.value))") if searched else ("", "")
        texts = ", jsonb_array_elements_text(%(words)s::jsonb)" if searched else ""
        statement = (  # only names of our own tables and columns
            f"INSERT INTO {table} ({columns}{terms}, tenant{f', {scope_column}' if scope_column else ''}) "  # noqa: S608 - names of our own tables
            f"SELECT {columns}{of_words}, slowwave_tenant(){', %(scope)s' if scope_column else ''} "
            f"FROM ROWS FROM (jsonb_populate_recordset(NULL::{table}, %(rows)s::jsonb){texts}) WITH ORDINALITY AS line "
            f"ORDER BY ordinality" + (f" RETURNING {giving}" if giving else "")
        )
        asked = {"rows": json.dumps(inserted), "words": json.dumps(words), "scope": self._scope.id}
        done = self._connection.exec_driver_sql(statement, asked)
        return list(done.scalars()) if giving else []

    def _execute(self, statement: str, **values: Any) -> None:
        execute(self._connection, statement, scope=self._scope.id, **values)


_SEARCHED = {"episodes": "content", "facts": "text"}
"""The columns whose terms are stored, by table."""


def _encrypted(connection: Connection, table: str, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a *row* of *table* as it is stored."""
    if (cipher := cipher_of(connection)) is None or table not in ENCRYPTED:
        return row
    changed = dict(row)
    for name, column in ENCRYPTED[table].items():
        if isinstance(row.get(name), str) and not column.is_json:
            changed[name] = cipher.encrypt(row[name], same=column.same)
        elif column.is_json and row.get(name) is not None:
            changed[name] = each_text(row[name], partial(cipher.encrypt, same=column.same), column.plain)
    return changed


@dataclass(frozen=True, slots=True)
class _ClaimColumns:
    subject: str
    predicate: str
    object: str
    form: Form
    text: str
    tense: Tense
    begins: datetime
    rule: str


def _claim_columns(row: Mapping[str, Any]) -> _ClaimColumns:
    return _ClaimColumns(
        row["subject"], row["predicate"], row["object"],
        row.get("form", "typed"), row.get("text", ""), row.get("tense", "current"), _begins(row.get("valid", "")),
        row.get("rule", ""),
    )  # fmt: skip


def _begins(valid: str) -> datetime:
    """Return the start of a range in Postgres notation, or the minimum time if the range has no start."""
    begin = valid[1:].partition(",")[0].strip('"')
    return datetime.fromisoformat(begin) if begin else BEGINNING


def _key(row: Mapping[str, Any]) -> BeliefKey:
    return belief_key(*identity(_claim_columns(row)), single_valued=row["single_valued"])


def _proof(prints: Fingerprinter, row: Mapping[str, Any], matter: str | None) -> dict[str, str]:
    """Return the fingerprint and the payload digest of a delta under this tenant's key.

    *matter* is a word of the thing about which the delta reports a change, if it reports one. If the delta's text was
    erased, both values match nothing.
    """
    if row["payload"] is None:
        digests = {name: prints.payload(bytes.fromhex(row[name][2:])) for name in ("fingerprint", "payload_digest")}
    else:
        digests = {
            "fingerprint": prints.fact(
                *((EVERY, EVERY, matter) if matter else identity(_claim_columns(row["payload"])))
            ),
            "payload_digest": prints.payload(canonical_json(row["payload"])),
        }
    return {name: f"\\x{value.hex()}" for name, value in digests.items()}


def _without(row: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}
