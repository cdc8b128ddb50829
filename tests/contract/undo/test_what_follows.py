"""What was derived from what is undone goes with it: promotions, the graph, patterns."""

import uuid

from slowwave.domain.job_table import DETECT_PATTERNS
from slowwave.memory import Memory
from tests.contract.harness import Harness, somebody
from tests.contract.late_arrivals.comparing import sound
from tests.contract.learning.projects import Project
from tests.contract.undo.undoing import fact_of, tell, texts

HOME = "The user lives in Oslo"


def run_of(harness: Harness, fact: uuid.UUID) -> int:
    """Return the run that made a fact."""
    return int(harness.value("SELECT run FROM deltas WHERE id = %s", fact))


# promotions


def test_undoing_a_promoted_fact_removes_its_global_copy(harness: Harness) -> None:
    project = Project(harness)
    fact = project.living("Oslo")
    project.promote()
    assert project.believed() == [HOME]

    done = project.memory.correct(fact)

    assert [one.job for one in done.built_on] == ["promote"]
    assert (project.believed(), project.live()) == ([], 0)
    sound(harness, project.scope, project.everywhere.scope)


def test_correcting_a_promoted_copy_also_corrects_its_source(harness: Harness) -> None:
    project = Project(harness)
    project.living("Oslo")
    project.promote()
    (copy,) = project.known()

    done = project.everywhere.correct(copy.id, "Osaka")

    assert done.scopes == tuple(sorted([project.scope, project.everywhere.scope]))
    assert project.believed() == ["The user lives in Osaka"]
    assert harness.parts.records.facts(project.scope) == []


def test_a_fact_with_later_sources_is_promoted_again_if_they_suffice(harness: Harness) -> None:
    project = Project(harness)
    fact = project.living("Oslo")
    project.promote()

    undone = Memory(harness.parts).undo(run_of(harness, fact))

    assert project.fact(HOME).id != fact
    assert project.believed() == []  # one conversation is not enough
    Memory(harness.parts).undo(undone.id)
    project.tell("I live in Oslo", session="s3")
    again = project.fact(HOME).id
    project.prominent(HOME)
    project.promote()
    assert project.believed() == [HOME]

    Memory(harness.parts).undo(run_of(harness, fact))

    assert project.fact(HOME).id != again
    assert project.believed() == [HOME]
    assert [one.key for one in project.known()[0].sources] == ["I live in Oslo 2"]
    sound(harness, project.scope, project.everywhere.scope)


def test_an_undone_promotion_is_not_repeated(harness: Harness) -> None:
    project = Project(harness)
    fact = project.living("Oslo")
    project.promote()
    (copy,) = project.known()

    done = Memory(harness.parts).undo(run_of(harness, copy.id))

    assert done.scopes == (project.everywhere.scope,)
    assert project.believed() == []
    assert project.fact(HOME).id == fact
    project.prominent(HOME, accesses=9)
    project.promote()
    assert project.believed() == []
    Memory(harness.parts).undo(done.id)
    assert project.believed() == [HOME]


def test_a_restored_fact_keeps_its_standing_and_its_promotion(harness: Harness) -> None:
    project = Project(harness)
    fact = project.living("Oslo")
    project.promote()
    project.tell("I just moved to Riga")
    riga = project.fact("The user lives in Riga").id
    assert harness.value("SELECT access_count FROM standing WHERE memory = %s", fact) == 5

    Memory(harness.parts).undo(run_of(harness, riga))

    restored = project.fact(HOME)
    assert restored.id != fact
    assert harness.value("SELECT access_count FROM standing WHERE memory = %s", restored.id) == 5
    assert harness.value("SELECT count(*) FROM standing WHERE memory = %s", fact) == 0
    sound(harness, project.scope, project.everywhere.scope)


# the graph


def test_the_graph_follows_an_undo(harness: Harness) -> None:
    scope, memory = somebody(), Memory(harness.parts)
    runs = tell(harness, scope, ["I live in Lisbon", "I just moved to Oslo"])
    homes = (
        "SELECT e.name FROM edges g JOIN entities e ON e.scope = g.scope AND e.entity = g.target "
        "JOIN facts f ON f.fact = g.fact AND upper_inf(f.recorded) AND upper_inf(f.valid) WHERE g.scope = %s"
    )
    assert harness.rows(homes, scope.id) == [("Oslo",)]

    memory.undo(runs[1])

    assert harness.rows(homes, scope.id) == [("Lisbon",)]


# patterns


def test_undoing_its_sources_removes_a_recurring_preference(harness: Harness) -> None:
    scope, memory = somebody(), Memory(harness.parts)
    here = memory.scope(scope.user, agent=scope.agent)
    for number in range(4):
        here.push("I love jazz", session=f"s{number}", key=f"k{number}")
        here.consolidate()
        harness.parts.schedule.fire_job(DETECT_PATTERNS, "_patterns", by="test")
        harness.drain()
    recurring = "SELECT count(*) FROM facts WHERE predicate = 'recurring_preference' AND upper_inf(recorded)"
    assert harness.value(recurring) == 1

    here.correct(fact_of(harness, scope, "jazz"))

    assert harness.value(recurring) == 0
    assert texts(harness, scope) == []
    sound(harness, scope)
