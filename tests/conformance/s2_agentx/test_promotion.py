"""AgentX, promotion: thresholds, audit row, relationship, and traceable channels."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from slowwave import wiring
from slowwave.cli import main
from slowwave.core.policy import Thresholds
from slowwave.core.promotion import Evidence
from slowwave.domain.audit import AuditFilter, AuditRow
from slowwave.errors import Conflict, FactConflictError, Incorrect, NotFound
from slowwave.memory import Memory
from slowwave.rules.lifecycle import load_preset
from slowwave.store.audit import log as audit
from tests.contract.harness import Harness
from tests.contract.learning.projects import Project


@pytest.fixture
def project(parts: wiring.Parts, owner_url: str, postgres_server: Any, database_name: str) -> Iterator[Project]:
    """A project channel of one user and agent."""
    with closing(Harness(parts, owner_url, postgres_server.url("postgres", database_name))) as harness:
        yield Project(harness)


def audited(project: Project, operation: str) -> list[AuditRow]:
    wanted = AuditFilter(operation=operation)
    return project.harness.parts.records.audit(project.scope.tenant, wanted, most=100)


def test_the_thresholds_are_those_of_the_document() -> None:
    thresholds = load_preset("agentx").policies.everybody.promotion

    assert thresholds == Thresholds(confidence=0.85, accesses=5, conversations=2)
    assert Evidence(0.85, 5, 2).meets(thresholds)  # each is enough at its threshold


@pytest.mark.requirement("S2.36", "S2.42")
def test_prominent_project_facts_are_promoted_to_global(project: Project) -> None:
    project.tell("I live in Oslo", "I have a dog", session="monday")
    project.tell("I live in Oslo", session="tuesday")
    project.prominent("The user lives in Oslo", accesses=5)

    assert project.promote()["promoted"] == 1

    assert project.believed() == ["The user lives in Oslo"]  # the dog was mentioned once
    other = project.beside("work")
    (answer, *_) = other.memory.recall("where does the user live?", limit=1)
    assert answer.text == "The user lives in Oslo"  # recalled in a channel in which it was not told


@pytest.mark.requirement("S2.40", "S2.42")
def test_a_fact_told_twice_and_recalled_five_times_is_promoted(project: Project) -> None:
    project.tell("I live in Oslo", session="monday")
    project.tell("I live in Oslo", session="tuesday")
    promoted = []
    for _ in range(5):
        assert [answer.text for answer in project.memory.recall("where does the user live?", limit=1)] == [
            "The user lives in Oslo"
        ]
        project.harness.parts.accesses.flush()
        promoted.append(project.promote()["promoted"])

    assert promoted == [0, 0, 0, 0, 1]


@pytest.mark.requirement("S2.38", "S2.40", "S2.41")
def test_a_promotion_is_audited_with_its_numbers_and_thresholds(project: Project) -> None:
    project.living("Oslo")
    project.promote()

    (row,) = audited(project, "promote")
    (fact,) = project.everywhere.facts()
    assert (row.memory_type, row.source_channel, row.affected) == ("semantic", "_global", [fact.id])
    assert (row.promoted_from_channel, row.promotion_confidence) == ("trip", 0.95)
    assert (row.promotion_access_count, row.promotion_conversation_count) == (5, 2)
    assert row.detail["reason"] == "prominent in trip: confidence 0.95, 5 accesses, 2 conversations"
    for each in audited(project, "promote") + audited(project, "store"):
        thresholds = each.settings["policy"]["promotion"]
        assert (thresholds["confidence"], thresholds["accesses"], thresholds["conversations"]) == (0.85, 5, 2)


@pytest.mark.requirement("S2.38")
def test_a_promotion_that_is_not_written_leaves_no_audit_row(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.living("Oslo")
    run = project.claimed()
    log = audit.log_write

    def then(connection: Connection, operation: str, *args: Any, **fields: Any) -> None:
        log(connection, operation, *args, **fields)
        if operation == "promote":
            raise Conflict("somebody was first")

    with monkeypatch.context() as patched:
        patched.setattr(audit, "log_write", then)
        with pytest.raises(Conflict):
            project.harness.settle(run)

    assert audited(project, "promote") == []
    assert project.believed() == []


def test_promote_to_global_by_hand_waives_the_thresholds_and_keeps_the_reason(project: Project) -> None:
    project.tell("I live in Oslo")
    source = project.fact("The user lives in Oslo")

    fact = Memory(project.harness.parts).promote_to_global(source.id, "she asked for it")

    assert [known.id for known in project.everywhere.facts()] == [fact]
    (row,) = audited(project, "promote")
    assert row.detail["reason"] == "promoted from trip by hand: she asked for it"
    assert (row.promoted_from_channel, row.promotion_access_count, row.promotion_conversation_count) == ("trip", 0, 1)


def test_a_refused_manual_promotion_says_why(project: Project) -> None:
    memory = Memory(project.harness.parts)
    project.tell("I live in Oslo")
    source = project.fact("The user lives in Oslo").id
    fact = project.memory.promote(source, reason="once")
    project.tell("I have a dog", everywhere=True)

    with pytest.raises(Incorrect, match="known everywhere already"):
        memory.promote_to_global(fact, "twice")
    with pytest.raises(NotFound):
        memory.promote_to_global("no id at all", "why not")
    with pytest.raises(NotFound):
        project.beside("work").memory.promote(source, reason="another channel's")
    with pytest.raises(NotFound):
        memory.promote_to_global(source, "another tenant's", tenant="another")
    project.tell("I just moved to Riga")
    project.work()
    with pytest.raises(FactConflictError, match="is no longer believed"):
        project.memory.promote(source, reason="too late")


@pytest.mark.requirement("S2.42")
def test_why_shows_the_channel_and_the_words(
    project: Project, url: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    source = project.living("Oslo")
    project.promote()
    (fact,) = project.everywhere.facts()
    monkeypatch.setenv("SLOWWAVE_URL", url)
    monkeypatch.setenv("SLOWWAVE_HOME", str(tmp_path))
    capfd.readouterr()

    main(["why", str(fact.id)])

    said = " ".join(capfd.readouterr().out.split())
    assert f"promoted from {source}" in said
    assert "in trip: »I live in Oslo«" in said
    assert "add by promote/default" in said


@pytest.mark.requirement("S2.42")
@pytest.mark.parametrize("other", [{"user": "bob"}, {"tenant": "another"}, {"agent": "butler"}])
def test_statements_of_another_user_or_agent_count_for_no_promotion(project: Project, other: dict[str, str]) -> None:
    theirs = Project(project.harness, replace(project.scope, **other))
    project.tell("I live in Oslo", session="monday")
    theirs.tell("I live in Oslo", session="tuesday")
    for each in (project, theirs):
        each.prominent("The user lives in Oslo", accesses=5)
        each.promote()

    assert (project.believed(), theirs.believed()) == ([], [])
