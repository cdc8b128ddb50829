"""kill -9 in export, import, backup and restore: a file is whole or absent, and a repetition gives the same result."""

import signal
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.embedded_services import PostgresServer
from slowwave.memory import Memory
from slowwave.wiring import Settings
from tests.databases import copied, opened
from tests.faults.rig.processes import plain_environment, python, until

pytestmark = [pytest.mark.accept, pytest.mark.timeout(300)]


def slowwave(*arguments: str, dies: tuple[str, int] | None = None, **variables: str) -> int:
    """Return the status of a command that is killed at a point, or runs to its end."""
    point = {"POINT": dies[0], "N": str(dies[1])} if dies else {}
    module = "tests.faults.import_export.dying" if dies else "slowwave.cli"
    return subprocess.run(
        python(module, *arguments), env=plain_environment(SLOWWAVE_STATEMENTS="off", **variables, **point),
        check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ).returncode  # fmt: skip


def live(memory: Memory) -> None:
    for user in ("alice", "bob"):
        memory.scope(user).push(f"I live in Oslo and my name is {user}.", session="s1")
        memory.scope(user).consolidate()


def test_a_killed_export_leaves_no_file_and_a_killed_import_is_resumed(
    parts: wiring.Parts, postgres_server: PostgresServer, template: str, heavy_parts: dict[str, object], tmp_path: Path
) -> None:
    memory, file = Memory(parts), tmp_path / "memories.jsonl"
    live(memory)

    for dies in (("read", 5), ("rename", 1)):
        assert slowwave("export", str(file), dies=dies, SLOWWAVE_URL=parts.url) == -signal.SIGKILL
        assert not file.exists()
    assert len(list(tmp_path.glob("*.part"))) == 2  # leftovers that do no harm
    assert slowwave("export", str(file), SLOWWAVE_URL=parts.url) == 0

    with (
        copied(postgres_server, template, "arrived") as database,
        opened(postgres_server, database, heavy_parts) as there,
    ):
        for puts in (1, 6, 12):
            assert slowwave("import", str(file), dies=("put", puts), SLOWWAVE_URL=there.url) == -signal.SIGKILL
        assert slowwave("import", str(file), SLOWWAVE_URL=there.url) == 0
        assert Memory(there).digest() == memory.digest()
        assert list(wiring.checks(there.database).findings(folds=None)) == []


def digest(home: Path) -> str:
    """Return the digest of the beliefs in a home."""
    with closing(wiring.open_parts(Settings.load(home=home, statements=False))) as parts:
        return Memory(parts).digest()


def test_a_killed_backup_leaves_no_file_and_a_killed_restore_leaves_old_or_new_data(folder: Path) -> None:
    home, file = folder / "home", folder / "memories.dump"
    with closing(wiring.open_parts(Settings.load(home=home, statements=False))) as parts:
        live(Memory(parts))
        assert slowwave("backup", str(file), dies=("rename", 1), SLOWWAVE_HOME=str(home)) == -signal.SIGKILL
        assert not file.exists()

        assert slowwave("backup", str(file), SLOWWAVE_HOME=str(home)) == 0
        assert not list(wiring.checks(parts.database).findings(folds=None))
        kept = Memory(parts).digest()
        Memory(parts).scope("alice").push("I moved to Bergen.", session="s2")
        Memory(parts).scope("alice").consolidate()
        lived = Memory(parts).digest()

    for program, left in ((2, lived), (3, kept)):
        killed = slowwave("restore", str(file), "--replace", dies=("program", program), SLOWWAVE_HOME=str(home))
        assert killed == -signal.SIGKILL
        until(lambda: digest(home), "the home opens")
        assert digest(home) in (lived, left)
    assert slowwave("restore", str(file), "--replace", SLOWWAVE_HOME=str(home)) == 0
    assert digest(home) == kept
