"""A backup of the embedded database: whole or not there, and put back where nothing is given up unasked."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.errors import Conflict, Incorrect
from slowwave.memory import Memory
from slowwave.wiring import Settings
from tests.folders import quick


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
        scope = memory.scope("alice")
        scope.push("I live in Oslo.")
        scope.consolidate()
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
