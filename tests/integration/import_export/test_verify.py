"""An export can be verified without a database, and a backup is complete or absent."""

import contextlib
import hashlib
import json
import os
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, Incorrect
from slowwave.memory import Memory, due_work
from slowwave.memory.import_export import transfer
from slowwave.memory.import_export.file_format import RunningDigest, written
from slowwave.memory.import_export.verifying import verify_export
from slowwave.wiring import Settings
from tests.folders import quick
from tests.integration.command import Run
from tests.integration.steps import learn

Row = dict[str, Any]
NOBODY = uuid.UUID(int=0)


@pytest.fixture
def export(parts: wiring.Parts, tmp_path: Path) -> Path:
    for user in ("ann", "bob"):
        for told in ("I live in Oslo", "I moved to Bergen", "My cat is called Tiny"):
            parts.push(Scope("default", user, "default"), [Episode(content=told, key=told)])
    due_work.fire(parts)
    due_work.drain(parts, None, 60)
    transfer.to_file(parts, tmp_path / "all.jsonl", "default")
    return tmp_path / "all.jsonl"


def test_memory_verifies_a_file_by_its_path_or_by_the_text_of_its_path(parts: wiring.Parts, export: Path) -> None:
    memory = Memory(parts)
    found = verify_export(export)
    assert memory.verify_export(str(export)) == memory.verify_export(export) == (found.counts, found.sha256)


def changed(file: Path, table: str, change: Callable[[Row], object]) -> None:
    """Change the first row of a table, recompute the digest, and remove the signature, as an attacker would."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    change(next(row[table] for row in rows if table in row))
    rows[0]["slowwave"].pop("key", None)
    digest, lines = RunningDigest(), []
    for row in rows[:-1]:
        (what,) = row
        lines.append(written(row))
        digest.take(lines[-1], what)
    file.write_bytes(b"".join([*lines, written({"end": digest.foot})]))


def test_an_export_is_verified_without_a_database(export: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOWWAVE_URL", "postgresql://nobody@127.0.0.1:1/none")

    said = run("verify", str(export))

    assert (said.status, said.err) == (0, "")
    assert said.out.startswith("2 scopes")
    assert f" are consistent\nSHA-256 {hashlib.sha256(export.read_bytes()).hexdigest()}\n" in said.out
    assert "the signature was not checked, because the key of the tenant is not at hand; " in said.out
    assert run("verify", "--signed", str(export)).status == 1


@pytest.mark.parametrize(
    ("table", "change", "problem"),
    [
        ("facts", lambda row: row.update(confidence=0.1), "ann/default/_global: the ledger yields other facts"),
        ("deltas", lambda row: row.update(kind="noop"), "ann/default/_global: the ledger yields other facts"),
        ("deltas", lambda row: row["sources"][0].update(span_end=999), "which has only 14 characters"),
        ("deltas", lambda row: row["sources"][0].update(position=77), "quotes episode 77, which is not there"),
        ("deltas", lambda row: row["sources"][0].update(span_start=-1), "quotes characters -1 to 14"),
        ("deltas", lambda row: row["sources"][0].update(span_start=15), "quotes characters 15 to 14"),
        ("deltas", lambda row: row["payload"].update(object="Rome"), "differs from its delta"),
        ("deltas", lambda row: row.update(payload=None), "differs from its delta"),
        ("episodes", lambda row: row.update(content="I live in Rome"), "episode 1 differs from its digest"),
        ("episodes", lambda row: row.update(session="other"), "episode 1 differs from its digest"),
        ("episode_keys", lambda row: row.update(id=str(NOBODY)), "episode 1 differs from its key"),
        ("episode_keys", lambda row: row.update(erased=True), "episode 1 differs from its digest"),
        ("deltas", lambda row: row.update(payload={}), "differs from its delta"),
        ("facts", lambda row: row.update(object="Rome"), "ann/default/_global: fact "),
        ("facts", lambda row: row.update(text="Ann lives in Rome"), "differs from its delta"),
    ],
)
def test_a_change_that_the_digest_hides_is_found(
    export: Path, run: Run, table: str, change: Callable[[Row], object], problem: str
) -> None:
    changed(export, table, change)

    said = run("verify", str(export))

    assert (said.status, said.out) == (1, "")
    assert problem in said.err


@pytest.mark.parametrize("table", ["slowwave", "scope", "episode_keys", "episodes", "facts", "deltas"])
def test_verify_survives_a_value_of_any_wrong_type(export: Path, table: str) -> None:
    before = export.read_bytes()
    rows = [json.loads(line) for line in before.splitlines()]
    row = next(row[table] for row in rows if table in row)
    odd: tuple[object, ...] = (None, 5, "x", [], {"a": 1}, [{"a": 1}], "0001-01-01T00:00:00+14:00")

    for name, other in ((name, other) for name in row for other in odd):
        export.write_bytes(before)
        changed(export, table, lambda row, name=name, other=other: row.update({name: other}))  # type: ignore[misc]
        with contextlib.suppress(Incorrect):  # and no other error; values that say nothing of beliefs may be any
            verify_export(export)


def test_verify_names_the_number_of_an_unreadable_line(export: Path, run: Run) -> None:
    changed(export, "facts", lambda row: row.update(valid="always"))

    said = run("verify", str(export))

    number = 1 + next(n for n, line in enumerate(export.read_text().splitlines()) if '"always"' in line)
    assert said.status == 1
    assert f"line {number}: facts cannot be read" in said.err


def test_a_file_that_was_cut_off_is_refused(export: Path, run: Run) -> None:
    export.write_bytes(b"".join(export.read_bytes().splitlines(keepends=True)[:-1]))

    said = run("verify", str(export))

    assert said.status == 1
    assert "is cut off" in said.err


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the account of the embedded servers may enter."""
    with tempfile.TemporaryDirectory(dir=quick(), prefix="slowwave-kept-", ignore_cleanup_errors=True) as name:
        os.chmod(name, 0o755)
        yield Path(name)


@pytest.mark.accept
def test_a_backup_is_restored_into_an_empty_home_with_the_same_beliefs(folder: Path) -> None:
    here, there, file = (folder / name for name in ("here", "there", "memories.dump"))
    with _memory(here) as memory:
        learn(memory.scope("alice"), "I live in Oslo.")
        services = memory._parts.services
        assert services is not None
        wiring.backup(services, file)
        digest = memory.digest()
        whole = file.read_bytes()
        assert file.stat().st_mode & 0o077 == 0
        assert list(folder.glob("*.part")) == []

    for spoilt in (whole[: len(whole) // 2], b"", b"no backup"):
        (folder / "spoilt").write_bytes(spoilt)
        with pytest.raises(Incorrect, match="not a complete backup"):
            wiring.restore(Settings.load(home=there), folder / "spoilt", replace=True)
    assert wiring.restore(Settings.load(home=there), file, replace=True) == {"default": digest}
    with pytest.raises(Conflict, match="holds a database already"):
        wiring.restore(Settings.load(home=there), file)

    with _memory(there) as memory:
        assert [fact.object for fact in memory.scope("alice").facts()] == ["Oslo"]
        assert memory.digest() == digest
        memory.scope("alice").push("I moved to Bergen.")
    with pytest.raises(Incorrect, match="not a complete backup"):
        wiring.restore(Settings.load(home=there), folder / "spoilt", replace=True)
    with _memory(there) as memory:
        assert memory.operator().people()[0].episodes == 2


@contextlib.contextmanager
def _memory(home: Path) -> Iterator[Memory]:
    with contextlib.closing(wiring.open_parts(Settings.load(home=home, statements=False))) as parts:
        yield Memory(parts)
