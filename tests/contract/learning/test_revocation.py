"""A promotion is revoked when its source ends or no longer suffices, unless another source supports the fact."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.core.policy import Policies, Thresholds
from slowwave.domain.job_table import PROMOTE
from slowwave.domain.scope import Scope
from slowwave.jobs.lifecycle import Promote
from slowwave.store import promotion
from tests.contract.harness import Harness, withdraw
from tests.contract.learning.projects import Project
from tests.ledger import rebuilt


@pytest.fixture
def project(harness: Harness) -> Project:
    """A project channel whose fact about home was promoted to `_global`."""
    project = Project(harness)
    project.living("Oslo")
    assert project.promote()["promoted"] == 1
    return project


def deleted(project: Project) -> None:
    """Withdraw the channel's home, as a job or a person does."""
    withdraw(project.memory, project.fact("The user lives in Oslo"))


ENDS: dict[str, Callable[[Project], None]] = {
    "superseded": lambda project: project.tell("I just moved to Riga"),
    "ended": lambda project: project.tell("I moved out of Oslo"),
    "forgotten": lambda project: project.tell("Please forget that I live in Oslo"),
    "deleted": deleted,
}


@pytest.mark.parametrize("how", list(ENDS))
def test_a_promotion_is_revoked_when_its_source_ends(project: Project, how: str) -> None:
    ENDS[how](project)

    counts = project.work()  # without a firing of the schedule

    assert (counts["delete"], counts["undone"]) == (1, 1)
    assert project.believed() == []
    ((mode, rule),) = project.harness.rows("SELECT mode, rule FROM deltas WHERE pack = '_promote' AND kind = 'delete'")
    assert (mode, rule) == ("withdraw", "promote/default")
    assert project.live() == 0


def test_a_revocation_cites_the_words_of_the_promotion(project: Project) -> None:
    (fact,) = project.known()
    deleted(project)
    project.work()

    made, undone = project.everywhere.why(fact.id).steps
    assert undone.reason == "its source is no longer believed"
    assert [said.content for said in undone.evidence] == [said.content for said in made.evidence] == ["I live in Oslo"]


def test_a_promoted_fact_that_is_also_stated_globally_stays(project: Project) -> None:
    project.tell("I live in Oslo", everywhere=True, session="s9")
    deleted(project)

    assert project.work() == {"undone": 1}

    assert project.believed() == ["The user lives in Oslo"]
    assert project.live() == 0


def test_a_promotion_of_a_known_global_fact_does_not_remove_it_when_revoked(harness: Harness) -> None:
    project = Project(harness)
    project.tell("I live in Oslo", everywhere=True)
    project.living("Oslo")
    assert project.promote()["confirmed"] == 1
    deleted(project)

    assert project.work() == {"undone": 1}

    assert project.believed() == ["The user lives in Oslo"]


@pytest.mark.parametrize("together", [False, True])
def test_a_promotion_of_two_channels_stays_until_both_sources_end(project: Project, together: bool) -> None:
    other = project.beside("work")
    other.living("Oslo")
    assert other.promote()["confirmed"] == 1

    deleted(project)
    if not together:
        assert project.work() == {"undone": 1}
        assert project.believed() == ["The user lives in Oslo"]
    deleted(other)

    assert project.work() == {"delete": 1, "undone": 2 if together else 1}
    assert project.believed() == []


def test_a_promotion_is_revoked_at_the_future_end_of_its_source(project: Project) -> None:
    ends: datetime = project.harness.value("SELECT slowwave_now() + interval '2 days'")
    source = project.fact("The user lives in Oslo").id
    project.harness.rows(
        "UPDATE facts SET valid = tstzrange(lower(valid), %s) WHERE fact = %s AND upper_inf(recorded)", ends, source
    )
    project.harness.rows("UPDATE promotions SET due = slowwave_now()")

    assert project.promote() == {}
    assert project.believed() == ["The user lives in Oslo"]

    project.harness.later(3 * 24 * 3600)
    assert project.promote()["undone"] == 1


def govern(project: Project, policies: Policies) -> None:
    """Let promotion follow *policies* from now on."""
    job = project.harness.parts.jobs[PROMOTE]
    assert isinstance(job, Promote)
    project.harness.parts.jobs[PROMOTE] = replace(job, policies=policies)


def thresholds(project: Project, **fields: float) -> None:
    """Put other thresholds in force, as a process that registers with them does."""
    policy = project.harness.parts.lifecycle.policies.everybody
    changed = replace(policy.promotion, **fields)  # type: ignore[arg-type]  # counts are whole numbers here
    govern(project, Policies(replace(policy, promotion=changed)))
    with project.harness.parts.database.tenant(project.scope.tenant) as connection:
        promotion.terms_changed(connection, changed)


def test_new_thresholds_that_a_promotion_still_meets_change_nothing(project: Project) -> None:
    thresholds(project, accesses=4)

    assert project.promote() == {}

    assert project.believed() == ["The user lives in Oslo"]
    ((policy,),) = project.harness.rows("SELECT policy FROM promotions")
    assert policy["thresholds"]["accesses"] == 4
    with project.harness.parts.database.tenant(project.scope.tenant) as connection:
        assert promotion.terms_changed(connection, Thresholds(accesses=4)) == 0


def test_unchanged_evidence_neither_revokes_nor_repeats_a_promotion(project: Project) -> None:
    digest = project.everywhere.digest()
    for _ in range(5):
        project.harness.rows("UPDATE standing SET promote_due = slowwave_now()")
        project.harness.rows("UPDATE promotions SET due = slowwave_now()")
        project.promote()
        project.harness.later(30 * 24 * 3600)  # strength decays meanwhile; confidence does not

    assert project.everywhere.digest() == digest
    assert project.harness.value("SELECT count(*) FROM deltas WHERE pack = '_promote'") == 1


def test_a_manual_promotion_ignores_the_thresholds(harness: Harness) -> None:
    project = Project(harness)
    project.tell("I think I live in Oslo")
    source = project.fact("The user lives in Oslo")

    fact = project.memory.promote(source.id, reason="she asked for it")

    assert project.believed() == ["The user lives in Oslo"]
    assert project.memory.promote(str(source.id), reason="again") == fact
    (step,) = project.everywhere.why(fact).steps
    assert (step.rule, step.reason) == ("promote/by_hand", "new; promoted from trip by hand: she asked for it")
    thresholds(project, accesses=6)
    assert project.promote()["undone"] == 0
    project.tell("I just moved to Riga")
    assert project.work()["undone"] == 1
    assert project.believed() == []


def test_a_confirmed_source_makes_no_promotion_due(project: Project, scope: Scope) -> None:
    project.tell("I live in Oslo", session="s3")  # confirmed, not closed

    assert project.work() == {}
    assert project.harness.value("SELECT count(*) FROM promotions WHERE due IS NOT NULL") == 0


def registered(project: Project, rules: Path, *, accesses: int) -> None:
    """Register as a process whose rules require so many *accesses*."""
    for folder in ("packs", "policies/presets"):
        (rules / folder).mkdir(parents=True, exist_ok=True)
    (rules / "policies" / "lifecycle.yaml").write_text("everybody: {promotion: ours}\n")
    (rules / "policies" / "presets" / "ours.yaml").write_text(
        f"promotion: {{confidence: 0.85, accesses: {accesses}, conversations: 2}}\n"
    )
    parts = project.harness.parts
    other = wiring.connect(parts.settings.model_copy(update={"rules": rules / "packs"}))
    vars(other).update(packs=parts.packs, embedder=parts.embedder)
    wiring.register(other)
    govern(project, other.lifecycle.policies)
    other.close()


def test_registering_other_thresholds_makes_promotions_due(project: Project, tmp_path: Path) -> None:
    registered(project, tmp_path / "strict", accesses=6)
    assert project.harness.value("SELECT count(*) FROM promotions WHERE due IS NOT NULL") == 1
    assert project.promote()["undone"] == 1

    registered(project, tmp_path / "loose", accesses=5)
    assert project.promote()["promoted"] == 1

    registered(project, tmp_path / "loose", accesses=5)  # nothing new
    assert project.harness.value("SELECT count(*) FROM promotions WHERE due IS NOT NULL") == 0


def test_one_run_replaces_a_promoted_home_by_a_new_prominent_one(project: Project) -> None:
    project.tell("I just moved to Riga", session="s3")
    project.tell("I live in Riga", session="s4")
    project.prominent("The user lives in Riga")

    assert project.work() == {"delete": 1, "add": 1, "undone": 1, "promoted": 1, "looked": 1}

    assert project.believed() == ["The user lives in Riga"]
    folded, table = rebuilt(project.harness.parts, project.everywhere.scope)
    assert folded == table
