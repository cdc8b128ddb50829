"""An export is a file that another installation can import, with every table, and in other formats."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest

from slowwave import wiring
from slowwave.cli.import_export.other_formats import episodes_of
from slowwave.errors import Conflict, Crowded, Incorrect, NotFound
from slowwave.memory import Memory, due_work
from slowwave.memory.import_export.file_format import RENAMED
from slowwave.memory.import_export.verifying import verify_export
from slowwave.store.access.database_size import Room
from slowwave.store.import_export.exported_rows import EXPORTED, IN_LINES_OF_DELTAS, NOT_EXPORTED
from slowwave.store.import_export.scope_import import ScopeImport
from tests.catalog import columns
from tests.integration.command import Run, of_alice
from tests.integration.steps import homes
from tests.old_revisions.database import HERE as OLD_REVISIONS
from tests.unit.tables import table

ROWS = table(__file__)


def test_an_import_equals_its_export_and_a_second_import_adds_nothing(
    alice: Memory, there: Memory, elsewhere: wiring.Parts, tmp_path: Path
) -> None:
    file = tmp_path / "memories.jsonl"
    here = of_alice(alice)
    here.goals.add("find a flat in Oslo")

    left = alice.export(str(file))
    arrived = there.import_file(str(file))
    again = there.import_file(file)

    assert (left.scopes, left.rows) == (arrived.scopes, arrived.rows)
    assert (again.scopes, again.known) == (0, left.scopes)
    assert there.digest() == alice.digest()
    scope = of_alice(there)
    assert [fact.id for fact in scope.facts()] == [fact.id for fact in here.facts()]
    (fact,) = (fact for fact in scope.facts() if fact.predicate == "lives_in")
    assert str(there.why(fact.id)) == str(alice.why(fact.id))
    assert [review.reason for review in there.review()] == [review.reason for review in alice.review()]
    there.drain()
    assert there.digest() == alice.digest()
    assert [one.text for one in scope.recall("Where does Alice live?")] == [
        one.text for one in here.recall("Where does Alice live?")
    ]
    assert there.export(tmp_path / "back.jsonl").rows.keys() == left.rows.keys()


def test_an_import_into_another_tenant_derives_new_ids_and_repeats_nothing(
    alice: Memory, parts: wiring.Parts, tmp_path: Path
) -> None:
    file = tmp_path / "memories.jsonl"
    alice.export(file)

    moved = alice.import_file(file, tenant="globex")
    again = alice.import_file(file, tenant="globex")

    assert (moved.scopes, again.known) == (2, 2)
    here, there = (alice.scope("alice", agent="concierge", channel="home", tenant=t) for t in ("default", "globex"))
    assert [fact.text for fact in there.facts()] == [fact.text for fact in here.facts()]
    assert {fact.id for fact in there.facts()}.isdisjoint(fact.id for fact in here.facts())
    (fact,) = (fact for fact in there.facts() if fact.predicate == "lives_in")
    assert [one.content for one in alice.why(fact.id, tenant="globex").steps[0].evidence] == ["I moved to Oslo."]
    (told,) = there.recent(limit=1)
    receipt = there.push(told.content, key=told.key, session=told.session, occurred_at=told.occurred)
    assert receipt.id == told.id
    assert list(wiring.checks(parts.database).findings(folds=None)) == []


@pytest.mark.accept
def test_a_single_user_can_be_exported(alice: Memory, there: Memory, tmp_path: Path) -> None:
    alice.scope("bob").push("I live in Rome.")
    alice.export(tmp_path / "alice.jsonl", user="alice")
    there.import_file(tmp_path / "alice.jsonl")
    assert {one.name for one in there.operator().people()} == {"alice"}
    with pytest.raises(NotFound, match="no memories match these names"):
        alice.export(tmp_path / "carol.jsonl", user="carol")
    assert not list(tmp_path.glob("carol*"))


def test_a_truncated_altered_or_foreign_file_is_refused_with_all_its_problems(
    alice: Memory, there: Memory, tmp_path: Path
) -> None:
    whole, spoilt = tmp_path / "whole.jsonl", tmp_path / "spoilt.jsonl"
    alice.export(whole)
    lines = whole.read_bytes().splitlines(keepends=True)

    def problems(*changed: bytes) -> list[str]:
        spoilt.write_bytes(b"".join(changed))
        with pytest.raises(Incorrect) as refused:
            there.import_file(spoilt)
        return list(refused.value.problems)

    assert problems(*lines[:-1]) == [f"is cut off: it has no foot after line {len(lines) - 1}"]
    assert "cut off" in problems(*lines[:-1], lines[-1][:20])[-1]
    assert problems() == ["is empty"]
    assert problems(b'{"content": "hello"}\n') == ["line 1: content: expected an object, got text"]
    assert problems(b'{"content": {}}\n') == ["line 1: is not the head of an export of Slowwave"]
    changed = [line.replace(b"Oslo", b"Rome") for line in lines]
    assert problems(*changed) == [f"line {len(lines)}: sha256: the file was changed after it was written"]
    wrong = [lines[0], lines[1], b"{\n", b'{"facts": {"fact": 1}}\n', b'{"fats": {}}\n', *lines[2:]]
    assert [one.split(":")[0] for one in problems(*wrong)][:3] == ["line 3", "line 4", "line 4"]
    assert there.operator().people() == []


@pytest.mark.accept
def test_an_interrupted_import_resumes(
    alice: Memory, there: Memory, elsewhere: wiring.Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.scope("bob").push("I live in Rome.")
    alice.export(tmp_path / "memories.jsonl")
    put, count = ScopeImport.put, 0

    def dies(self: ScopeImport, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        nonlocal count
        count += table == "deltas"
        if table == "standing" and count:
            raise KeyboardInterrupt
        put(self, table, rows)

    monkeypatch.setattr(ScopeImport, "put", dies)
    with pytest.raises(KeyboardInterrupt):
        there.import_file(tmp_path / "memories.jsonl")
    monkeypatch.undo()

    assert there.digest() != alice.digest()
    there.import_file(tmp_path / "memories.jsonl")
    assert there.digest() == alice.digest()


def test_an_import_stops_where_a_quota_ends_and_a_repeat_continues(
    alice: Memory, there: Memory, elsewhere: wiring.Parts, tmp_path: Path
) -> None:
    alice.scope("bob").push("I live in Rome.")
    alice.export(tmp_path / "memories.jsonl")
    tenant = elsewhere.settings.tenant
    elsewhere.quotas.set(tenant, "bytes-a-day", 1)

    with pytest.raises(Crowded, match=r"bytes-a-day is used up.*; 2 of 3 scopes are imported") as refused:
        there.import_file(tmp_path / "memories.jsonl")
    assert "repeat the import later" in str(refused.value)
    assert refused.value.retry_after_seconds > 0
    elsewhere.quotas.remove(tenant, "bytes-a-day")

    assert there.import_file(tmp_path / "memories.jsonl").known == 2
    assert there.digest() == alice.digest()


def test_an_import_without_room_is_refused_before_it_begins(
    alice: Memory, there: Memory, elsewhere: wiring.Parts, tmp_path: Path
) -> None:
    alice.export(tmp_path / "memories.jsonl")
    with elsewhere.database.tenant("default") as connection:
        size = connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one()
    vars(elsewhere.quotas)["_room"] = Room(most_bytes=size + 100)

    for dry_run in (True, False):
        with pytest.raises(Crowded, match=r"SLOWWAVE_DATABASE_BYTES is .*, and this needs about"):
            there.import_file(tmp_path / "memories.jsonl", dry_run=dry_run)
    assert there.operator().people() == []


@pytest.mark.accept
def test_an_import_refuses_a_scope_with_other_memories(alice: Memory, there: Memory, tmp_path: Path) -> None:
    alice.export(tmp_path / "memories.jsonl")
    assert there.import_file(tmp_path / "memories.jsonl", dry_run=True).scopes == 2
    assert there.operator().people() == []

    of_alice(there).push("I live in Rome.")
    for dry_run in (True, False):
        with pytest.raises(Conflict, match="alice, as concierge knows them in home, already has other memories here"):
            there.import_file(tmp_path / "memories.jsonl", dry_run=dry_run)


def test_an_imported_undo_stays_in_force_and_can_be_taken_back(
    alice: Memory, there: Memory, elsewhere: wiring.Parts, tmp_path: Path
) -> None:
    here = of_alice(alice)
    (home,) = (fact for fact in here.facts() if fact.predicate == "lives_in")
    done = here.correct(home.id, by="Anna")
    assert homes(here) == ["Lisbon"]

    alice.export(tmp_path / "memories.jsonl")
    there.import_file(tmp_path / "memories.jsonl")

    (arrived,) = there.undos()
    assert (arrived.id, arrived.what, arrived.by) == (done.id, done.what, "Anna")
    assert [one.text for one in arrived.withdrawn] == [one.text for one in done.withdrawn]
    there.undo(done.id)
    assert homes(of_alice(there)) == ["Oslo"]
    assert list(wiring.checks(elsewhere.database).findings(folds=None)) == []


def test_an_export_with_old_table_names_is_verified_and_imported(
    there: Memory, elsewhere: wiring.Parts, tmp_path: Path
) -> None:
    file = OLD_REVISIONS / "export_0044.jsonl"
    assert all(f'{{"{name}":' in file.read_text(encoding="utf-8") for name in RENAMED)

    verified = verify_export(file)
    arrived = there.import_file(file)
    again = there.import_file(file)

    renamed = {"legal_holds": 1, "model_summaries": 1, "running_segments": 1}
    assert (arrived.scopes, arrived.rows) == (verified.counts.scopes, verified.counts.rows)
    assert verified.signature == "missing"
    assert renamed.items() <= dict(arrived.rows).items()
    assert (again.scopes, again.known) == (0, arrived.scopes)
    assert [hold.reason for hold in there.holds()] == ["a lawsuit"]
    alice = of_alice(there)
    assert {fact.text for fact in alice.facts()} == {"The user lives in Oslo", "The user has a cat called Tiny"}
    with elsewhere.database.tenant("default") as connection:
        for table, count in renamed.items():
            assert connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one() == count

    back = there.export(tmp_path / "back.jsonl")

    assert (back.scopes, back.rows) == (arrived.scopes, arrived.rows)


WITH_OTHERS = ROWS["with_others"]
MADE_AGAIN = {
    "belief_words", "entity_vectors", "episode_vectors", "fact_vectors", "tree_nodes", "vector_blocks", "word_blocks",
}  # fmt: skip
"""Tables that an import computes from the exported rows."""
WORK = {
    "embedding_moves", "firings", "intents", "model_rejected", "model_requests", "model_windows", "reconsiderations",
    "scope_leases",
}  # fmt: skip
"""Tables of pending work, which an import does not copy: the imported scope is due anew."""
INSTALLATION = {
    "api_buckets", "api_keys", "audit_log", "embedding_spaces", "model_batches", "model_breakers", "model_budgets",
    "canaries", "erasure_targets", "id_keys", "erasures", "ledger_seals", "tenant_seals",
    "model_calls", "model_chunks", "model_payloads", "model_replies", "model_slots", "packs", "slices", "predicates",
    "processes", "quotas", "registrations", "revisions", "schedules", "tallies", "tenant_keys", "tenants", "webhooks",
}  # fmt: skip
"""Tables of the installation, not of a memory: keys, packs, tier moves, counts, logs, budgets and receipts."""


def test_each_table_is_either_exported_or_listed_as_not_exported(superuser: psycopg.Connection) -> None:
    goes, said = {kept.name for kept in EXPORTED}, [set(WITH_OTHERS), MADE_AGAIN, WORK, INSTALLATION]
    tables = columns(superuser).keys()

    assert goes | set().union(*said) == tables
    assert len(goes) + sum(map(len, said)) == len(tables), "a table is named once"


def test_each_column_of_an_exported_table_is_exported_or_listed_as_not_exported(superuser: psycopg.Connection) -> None:
    tables = columns(superuser)

    for kept in EXPORTED:
        there, fields = tables[kept.name], kept.columns.split()
        stays = NOT_EXPORTED.get(kept.name, set()) | {"tenant", kept.scope_column}
        assert [one.name for one in there if not one.generated and one.name not in stays] == fields, kept.name
        assert stays <= {one.name for one in there}, kept.name
        ids = [one.name for one in there if one.type in ("uuid", "uuid[]") and one.name in fields]
        assert ids == kept.ids.split(), kept.name
        assert [one.name for one in there if one.identity] == [kept.numbered] * (kept.numbered is not None), kept.name
    for name, listed in IN_LINES_OF_DELTAS.items():
        assert {one.name for one in tables[name]} == {*listed.split(), "tenant"}, name


def test_the_rows_of_an_exported_table_have_one_order(superuser: psycopg.Connection) -> None:
    for kept in EXPORTED:
        unique = superuser.execute(
            "SELECT array_agg(a.attname::text) FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid "
            "AND a.attnum = ANY (i.indkey) WHERE i.indrelid = %s::regclass AND i.indisunique AND i.indpred IS NULL "
            "GROUP BY i.indexrelid",
            [kept.name],
        ).fetchall()
        order = {*kept.order.split(), kept.scope_column}
        order |= {"received"} if kept.name == "episodes" else set()  # in the key because of partitioning
        assert any(set(columns) <= order for (columns,) in unique), kept.name


FILES = Path(__file__).parents[2] / "foreign_exports"


@pytest.mark.parametrize(("form", "file", "told"), ROWS["imported"])  # fmt: skip
def test_an_imported_file_becomes_episodes_with_their_origin_once(
    run: Run, parts: wiring.Parts, form: str, file: str, told: list[list[str]]
) -> None:
    said = [run("import", str(FILES / file), "--from", form, "--user", "dana") for _ in range(2)]

    assert [one.out for one in said] == [f"{len(told)} stored\n", f"0 stored, {len(told)} known already\n"]
    found = Memory(parts).scope("dana", agent="default").recent()
    assert sorted([one.role, one.content] for one in found) == sorted(told)
    assert {one.metadata["source"] for one in found} == {form}


def test_memories_of_another_project_are_recallable_but_not_facts(run: Run, parts: wiring.Parts) -> None:
    file = str(FILES / "mem0-1.0.json")
    tried = run("import", file, "--from", "mem0", "--dry-run")
    assert (tried.status, tried.out.splitlines()[2]) == (1, "2 would be stored, 1 refused")
    assert parts.records.overview("default").episodes == 0

    said = run("import", file, "--from", "mem0")
    assert (said.status, said.out, said.err) == (1, "2 stored, 1 refused\n", "item 3: content: is empty\n")
    due_work.fire(parts)
    memory = Memory(parts)
    memory.drain()
    assert memory.scope("dana").facts() == []
    assert "Lives in Oslo" in [one.text for one in memory.scope("dana").recall("Where does Dana live?")]


def test_a_json_page_on_one_line_is_read_as_its_items(tmp_path: Path) -> None:
    file = tmp_path / "page.json"
    file.write_text(json.dumps({"results": [{"id": str(number), "memory": "Likes tea"} for number in (1, 2)]}) + "\n")

    (batch,) = episodes_of("mem0", file)

    assert [(number, json.loads(item)["content"]) for number, item in batch] == [(1, "Likes tea"), (2, "Likes tea")]
