"""Stargraph: CLIPS rules over recent episodes, on a cadence; their claims become typed deltas."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.domain.delta import AddDelta, UpdateDelta
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE
from slowwave.memory import Memory, MemoryScope, due_work
from slowwave.wiring import Settings

PROGRAM = """
(defrule moved
  (episode (position ?p) (role user) (words $? "moved" "to" ?city $?))
  =>
  (assert (claim (position ?p) (cites moved to ?city) (predicate lives_in) (object ?city) (rule moved))))
"""
CASES = [{"it": "moves", "episodes": ["I moved to Oslo"], "believe": ["user lives_in Oslo"]}]


@pytest.fixture
def parts(settings: Settings, tmp_path: Path) -> Iterator[wiring.Parts]:
    """An installation with one pack, in CLIPS, which reads about cities and is due at every second episode."""
    for name in ("everyday", "cities"):
        folder = tmp_path / "rules" / name
        folder.mkdir(parents=True)
        told = "rules.clp" if name == "cities" else "unheard.clp"
        pack = {"pack": name, "version": 1, "engine": "clips", "program": told, "cadence": {"every": 2}}
        (folder / "pack.yaml").write_text(json.dumps(pack))
        (folder / "cases.yaml").write_text(json.dumps(CASES if name == "cities" else [{**CASES[0], "believe": []}]))
        (folder / told).write_text(PROGRAM if name == "cities" else "(deffacts nothing)")
    parts = wiring.connect(settings.model_copy(update={"rules": tmp_path / "rules"}))
    wiring.register(parts)
    yield parts
    parts.close()


@pytest.mark.requirement("S4.3")
def test_claims_of_a_clips_pack_become_typed_deltas_on_its_cadence(
    parts: wiring.Parts, told: Callable[..., list[Episode]]
) -> None:
    scope = MemoryScope(parts, Memory(parts).scope("nora").scope)
    scope.push_many(told("I moved to Lisbon last year."))
    due_work.tick(parts, by="scheduler@here:1")
    assert not ran(parts)

    scope.push_many(told("Then I moved  to Oslo!", start=1))
    assert ran(parts) == ["cities", "everyday"]

    written = Memory(parts).deltas()
    assert [type(one.delta) for one in written] == [AddDelta, UpdateDelta]
    (fact,) = scope.facts()
    (step,) = scope.why(fact.id).steps
    assert (fact.object, fact.rule) == ("Oslo", "cities/moved@1")
    assert [evidence.words for evidence in step.evidence] == ["moved  to Oslo"]


def ran(parts: wiring.Parts) -> list[str]:
    """The packs that have consolidated the due episodes."""
    found = []
    while report := due_work.run_next(parts, owner="worker@here:1", only=[CONSOLIDATE]):
        found.append(report.pack)
    return sorted(found)
