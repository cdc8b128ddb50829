"""Memories leave an installation in a file and arrive in another: the same ids, the same beliefs, once."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from slowwave import wiring
from slowwave.errors import Conflict, Incorrect, NotFound
from slowwave.memory import Memory, due_work
from slowwave.store.import_export.scope_import import ScopeImport
from tests.integration.command import ALICE


def test_an_import_equals_its_export_and_a_second_import_adds_nothing(
    alice: Memory, there: Memory, elsewhere: wiring.Parts, tmp_path: Path
) -> None:
    file = tmp_path / "memories.jsonl"
    here = alice.scope("alice", agent="concierge", channel="home")
    here.goals.add("find a flat in Oslo")

    left = alice.export(file)
    arrived = there.import_file(file)
    again = there.import_file(file)

    assert (left.scopes, left.rows) == (arrived.scopes, arrived.rows)
    assert (again.scopes, again.known) == (0, left.scopes)
    assert there.digest() == alice.digest()
    scope = there.scope("alice", agent="concierge", channel="home")
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


@pytest.mark.accept
def test_imported_memories_consolidate_like_the_original(
    alice: Memory, parts: wiring.Parts, there: Memory, elsewhere: wiring.Parts, tmp_path: Path
) -> None:
    alice.export(tmp_path / "memories.jsonl")
    there.import_file(tmp_path / "memories.jsonl")

    for each in (parts, elsewhere):
        each.push(ALICE, [{"key": "later", "content": "I moved to Bergen.", "occurred_at": "2026-04-01T12:00Z"}])
        due_work.fire(each)
        Memory(each).drain()

    assert [fact.object for fact in there.scope("alice").facts() if fact.predicate == "lives_in"] == ["Bergen"]
    assert there.digest() == alice.digest()
    assert list(wiring.checks(elsewhere.database).findings(folds=None)) == []


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


@pytest.mark.accept
def test_an_import_refuses_a_scope_with_other_memories(alice: Memory, there: Memory, tmp_path: Path) -> None:
    alice.export(tmp_path / "memories.jsonl")
    assert there.import_file(tmp_path / "memories.jsonl", dry_run=True).scopes == 2
    assert there.operator().people() == []

    there.scope("alice", agent="concierge", channel="home").push("I live in Rome.")
    for dry_run in (True, False):
        with pytest.raises(Conflict, match="alice, as concierge knows them in home, already has other memories here"):
            there.import_file(tmp_path / "memories.jsonl", dry_run=dry_run)


def test_an_imported_undo_stays_in_force_and_can_be_taken_back(
    alice: Memory, there: Memory, elsewhere: wiring.Parts, tmp_path: Path
) -> None:
    here = alice.scope("alice", agent="concierge", channel="home")
    (home,) = (fact for fact in here.facts() if fact.predicate == "lives_in")
    done = here.correct(home.id, by="Anna")
    assert [fact.object for fact in here.facts() if fact.predicate == "lives_in"] == ["Lisbon"]

    alice.export(tmp_path / "memories.jsonl")
    there.import_file(tmp_path / "memories.jsonl")

    (arrived,) = there.undos()
    assert (arrived.id, arrived.what, arrived.by) == (done.id, done.what, "Anna")
    assert [one.text for one in arrived.withdrawn] == [one.text for one in done.withdrawn]
    there.undo(done.id)
    scope = there.scope("alice", agent="concierge", channel="home")
    assert [fact.object for fact in scope.facts() if fact.predicate == "lives_in"] == ["Oslo"]
    assert list(wiring.checks(elsewhere.database).findings(folds=None)) == []
