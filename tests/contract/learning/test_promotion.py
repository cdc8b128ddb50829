"""A proven fact of a project channel is promoted to `_global` once, with its vector and its sources."""

import uuid
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from slowwave.domain.claim import Origin
from tests.conftest import NOON
from tests.contract.harness import Harness
from tests.contract.learning.projects import Project
from tests.ledger import rebuilt

ANOTHER: list[dict[str, str]] = [{"tenant": "another"}, {"agent": "butler"}]


@pytest.fixture
def project(harness: Harness) -> Project:
    """A project channel on a harness."""
    return Project(harness)


def test_a_promotion_keeps_its_tenant_user_vector_and_sources(project: Project) -> None:
    source = project.living()

    assert project.promote() == {"add": 1, "promoted": 1, "looked": 1}

    (fact,) = project.known()
    assert (fact.text, fact.confidence, fact.rule) == ("The user lives in Oslo", 0.95, "promote/default")
    assert fact.valid_from == project.fact("The user lives in Oslo").valid_from
    assert fact.id == uuid.uuid5(project.everywhere.scope.id, f"_promote/{source}/0")
    (step,) = project.everywhere.why(fact.id).steps
    assert step.origins == (Origin("promoted_from", project.scope.id, source),)
    assert [(said.content, said.session, said.channel) for said in step.evidence] == [("I live in Oslo", "s1", "trip")]
    assert [cited.scope for cited in fact.sources] == [project.scope.id]
    assert project.memory.why(source).steps[0].origins == ()
    vectors = "SELECT space, embedding::text FROM fact_vectors WHERE fact = %s"
    assert project.harness.rows(vectors, fact.id) == project.harness.rows(vectors, source) != []
    assert project.harness.rows(
        "SELECT DISTINCT tenant, user_id FROM facts JOIN scope_heads USING (scope, tenant)"
    ) == [(project.scope.tenant, project.scope.user)]


@pytest.mark.parametrize("lacking", ["accesses", "conversations", "confidence"])
def test_a_fact_below_any_threshold_is_not_promoted(project: Project, lacking: str) -> None:
    said = "I think I live in Oslo" if lacking == "confidence" else "I live in Oslo"
    project.tell(said, session="s1")
    project.tell(said, session="s1" if lacking == "conversations" else "s2")
    project.prominent("The user lives in Oslo", accesses=4 if lacking == "accesses" else 5)

    assert project.promote() == {"looked": 1}

    assert project.believed() == []
    assert project.promote() == {}  # the next run skips it unless it was accessed or told again


def test_a_replaced_fact_is_not_promoted(project: Project) -> None:
    lisbon = project.living("Lisbon")
    project.tell("I just moved to Oslo")
    project.harness.rows("UPDATE standing SET promote_due = slowwave_now() WHERE memory = %s", lisbon)

    assert project.promote()["promoted"] == 0
    assert project.believed() == []


def test_promoting_a_fact_that_global_holds_confirms_it(project: Project) -> None:
    project.tell("I live in Oslo", everywhere=True)
    (held,) = project.known()
    project.living()

    assert project.promote() == {"noop": 1, "confirmed": 1, "looked": 1}

    assert [fact.id for fact in project.known()] == [held.id]
    assert project.harness.rows("SELECT fact, confirmed FROM promotions") == [(held.id, True)]


def test_a_newer_home_replaces_the_older_one_everywhere(project: Project) -> None:
    project.tell("I live in Lisbon", everywhere=True)
    project.living("Oslo")

    assert project.promote()["update"] == 1

    assert project.believed() == ["The user lives in Oslo"]
    assert [f.text for f in project.everywhere.facts(as_of=NOON + timedelta(minutes=1))] == ["The user lives in Lisbon"]
    project.tell("I just moved to Riga")
    project.work()
    folded, table = rebuilt(project.harness.parts, project.everywhere.scope)
    assert folded == table
    assert len(table) == 3


def test_an_older_home_does_not_replace_the_newer_one_everywhere(project: Project) -> None:
    project.living("Oslo")
    project.tell("I live in Lisbon", everywhere=True)

    assert project.promote() == {"looked": 1}

    assert project.believed() == ["The user lives in Lisbon"]


def test_an_older_home_said_again_replaces_the_newer_one_everywhere(project: Project) -> None:
    project.tell("I live in Oslo", session="s1")
    project.tell("I live in Lisbon", everywhere=True)
    project.tell("I live in Oslo", session="s2")
    project.prominent("The user lives in Oslo")

    assert project.promote()["promoted"] == 1

    assert project.believed() == ["The user lives in Oslo"]


def test_a_fact_forgotten_everywhere_is_not_promoted(project: Project) -> None:
    project.tell("I live in Oslo", "Please forget that I live in Oslo", everywhere=True)
    project.living("Oslo")

    assert project.promote() == {"looked": 1}

    assert project.believed() == []


def test_a_future_fact_is_promoted_when_it_becomes_valid(project: Project) -> None:
    project.living("Oslo")
    begins: datetime = project.harness.value("SELECT slowwave_now() + interval '2 days'")
    project.harness.rows("UPDATE facts SET valid = tstzrange(%s, NULL)", begins)

    assert project.promote() == {"looked": 1}
    assert project.promote() == {}

    project.harness.later(3 * 24 * 3600)
    assert project.promote()["promoted"] == 1


def test_promotions_of_users_tenants_and_agents_stay_apart(harness: Harness) -> None:
    alice = Project(harness)
    others = [Project(harness), *(Project(harness, replace(alice.scope, **name)) for name in ANOTHER)]
    homes = {"Oslo": alice, **dict(zip(["Riga", "Bern", "Rome"], others, strict=True))}
    for home, project in homes.items():
        project.living(home)

    for project in homes.values():
        project.promote()

    assert [project.believed() for project in homes.values()] == [[f"The user lives in {home}"] for home in homes]


def test_evidence_that_arrives_during_a_promotion_is_not_lost(project: Project) -> None:
    project.tell("I live in Oslo", session="s1")
    project.prominent("The user lives in Oslo")
    run = project.claimed()
    plan = project.harness.think(run)

    project.tell("I live in Oslo", session="s2")
    project.harness.parts.runs.settle(run, plan)

    assert project.promote()["promoted"] == 1


def test_a_promoted_copy_starts_its_own_retention_period(project: Project) -> None:
    project.tell("I live in Oslo", session="s1", at=NOON - timedelta(days=3000))
    project.tell("I live in Oslo", session="s2")
    source = project.prominent("The user lives in Oslo")
    project.harness.rows("UPDATE standing SET created = created - interval '900 days' WHERE memory = %s", source)

    project.promote()

    (fact,) = project.known()
    ((born, accesses, pinned),) = project.harness.rows(
        "SELECT created, access_count, pinned FROM standing WHERE memory = %s", fact.id
    )
    assert born > project.harness.value("SELECT slowwave_now() - interval '1 hour'")  # its idle time starts now
    assert (accesses, pinned) == (0, False)
    assert project.harness.value("SELECT count(*) FROM standing WHERE memory = %s", source) == 1
