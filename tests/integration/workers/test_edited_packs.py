"""An operator edits a pack while a worker runs."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope
from slowwave.rules import hot_reload
from slowwave.wiring import Settings

_SHIPPED_PACK = Path(__file__).parents[3] / "rules" / "packs" / "everyday"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The operator's copy of the shipped pack."""
    copied = tmp_path / "packs" / "everyday"
    shutil.copytree(_SHIPPED_PACK, copied)
    versioned(copied / "pack.yaml", 1001)
    return copied


def versioned(manifest: Path, version: int) -> None:
    """Give a pack another version."""
    manifest.write_text(re.sub(r"^version: \d+$", f"version: {version}", manifest.read_text(), flags=re.MULTILINE))


@pytest.fixture
def remembered(
    folder: Path, settings: Settings, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> Iterator[MemoryScope]:
    """Somebody's memory, consolidated by a worker that looks at its packs before every run."""
    monkeypatch.setattr(hot_reload, "GLANCE_SECONDS", 0)
    parts = wiring.connect(settings.model_copy(update={"rules": folder.parent}))
    wiring.register(parts)
    yield MemoryScope(parts, scope)
    parts.close()


def test_a_pack_that_no_longer_validates_stays_as_it_was(remembered: MemoryScope, folder: Path) -> None:
    remembered.push("I like tea", key="before")
    remembered.consolidate()

    (folder / "pack.yaml").write_text("rules: [")
    remembered.push("I like coffee", key="after")
    remembered.consolidate()

    assert {f.object for f in remembered.facts()} == {"tea", "coffee"}
