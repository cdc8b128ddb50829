"""An operator edits a pack while a worker process runs: a wrong edit changes nothing, the right one takes over."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope, due_work
from slowwave.wiring import Settings
from tests.faults.rig.processes import Process, running, until
from tests.integration.workers.test_edited_packs import versioned

SHIPPED = Path(__file__).parents[3] / "rules" / "packs" / "everyday"
LOOKS_BEFORE_EVERY_RUN = """
from slowwave.cli import main
from slowwave.rules import hot_reload
hot_reload.GLANCE_SECONDS = 0
main(["work"])
"""
WRONG = {
    "a version of many digits": ("version: 1002", "version: 0x" + "f" * 6_000),
    "an interval of a million years": ("max_age: PT24H", "interval: P999999999D"),
    "a slip of the pen": ("words:", "words: ["),
}


def worker(url: str, rules: Path, log: Path) -> Process:
    """Return a worker of the library alone on the test's database, not started yet."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("SLOWWAVE_")}
    env |= {"SLOWWAVE_URL": url, "SLOWWAVE_RULES": str(rules), "SLOWWAVE_POLL_SECONDS": "0.1"}
    return Process([sys.executable, "-c", LOOKS_BEFORE_EVERY_RUN], env, log)


@pytest.mark.accept
def test_a_worker_keeps_the_old_pack_at_every_wrong_edit_and_follows_the_right_one(
    settings: Settings, scope: Scope, tmp_path: Path, url: str
) -> None:
    manifest = tmp_path / "packs" / "everyday" / "pack.yaml"
    shutil.copytree(SHIPPED, manifest.parent)
    versioned(manifest, 1002)
    right = manifest.read_text()
    versioned(manifest, 1001)
    parts = wiring.connect(settings.model_copy(update={"rules": tmp_path / "packs"}))
    wiring.register(parts)
    memory = MemoryScope(parts, scope)
    told = worker(url, tmp_path / "packs", tmp_path / "worker.log")

    def version_that_learns(thing: str) -> str:
        memory.push(f"I like {thing}", key=thing)
        due_work.fire(parts, scope.id)
        rule = until(
            lambda: next((fact.rule for fact in memory.facts() if fact.object == thing), None),
            f"the worker has learnt {thing}",
            otherwise=told.said,
        )
        return rule.partition("@")[2]

    with running(told):
        assert version_that_learns("tea") == "1001"
        for thing, (old, new) in zip(("coffee", "cocoa", "maté"), WRONG.values(), strict=True):
            assert old in right
            manifest.write_text(right.replace(old, new, 1))
            assert version_that_learns(thing) == "1001"
            assert told.running
        manifest.write_text(right)
        assert version_that_learns("milk") == "1002"
    parts.close()
