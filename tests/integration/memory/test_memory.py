"""The verbs of an agent's memory: push, consolidate, recall, facts on both time axes, and why."""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from slowwave.domain.scope import Scope
from slowwave.errors import NotFound, Unavailable
from slowwave.memory import Memory, MemoryScope, due_work
from slowwave.memory.verb_group import parts_of
from slowwave.testing import stop_clock
from slowwave.wiring import Parts
from tests.integration.steps import homes, learn

HOUR = timedelta(hours=1)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
Tell = Callable[..., None]


@pytest.fixture
def alice(parts: Parts, scope: Scope) -> MemoryScope:
    return MemoryScope(parts, scope)


@pytest.fixture
def tell(alice: MemoryScope, owner_url: str) -> Tell:
    """Push a text to Alice's agent that occurred at one time, and consolidate it at another."""

    def tell(sentence: str, *, occurred: datetime, slept: datetime) -> None:
        stop_clock(owner_url, slept)
        learn(alice, sentence, occurred_at=occurred, key=uuid.uuid4().hex)

    return tell


def test_a_move_changes_the_present_and_keeps_the_past(alice: MemoryScope, tell: Tell) -> None:
    tell("I live in Lisbon", occurred=NOON, slept=NOON + HOUR)
    tell("I moved to Oslo", occurred=NOON + 5 * HOUR, slept=NOON + 6 * HOUR)

    later = NOON + 7 * HOUR
    assert homes(alice, as_of=later) == ["Oslo"]
    assert homes(alice, as_of=NOON + 2 * HOUR) == ["Lisbon"]
    assert homes(alice, as_of=later, known_at=NOON + 2 * HOUR) == ["Lisbon"]  # before we were told
    assert homes(alice, as_of=NOON - HOUR) == []
    assert homes(alice, as_of=later, known_at=NOON) == []


def test_a_correction_changes_the_past_but_not_the_record_of_earlier_beliefs(alice: MemoryScope, tell: Tell) -> None:
    tell("I live in Lisbon", occurred=NOON, slept=NOON + HOUR)
    tell("Actually, I live in Porto", occurred=NOON + 5 * HOUR, slept=NOON + 6 * HOUR)

    assert homes(alice, as_of=NOON + 2 * HOUR) == ["Porto"]
    assert homes(alice, as_of=NOON + 2 * HOUR, known_at=NOON + 3 * HOUR) == ["Lisbon"]


def test_a_forgotten_fact_is_not_resurrected(alice: MemoryScope, tell: Tell) -> None:
    tell("I like liquorice", occurred=NOON, slept=NOON + HOUR)
    tell("Please forget that I like liquorice", occurred=NOON + 2 * HOUR, slept=NOON + 3 * HOUR)
    tell("I like liquorice", occurred=NOON + 4 * HOUR, slept=NOON + 5 * HOUR)

    assert list(alice.facts(as_of=NOON + 6 * HOUR)) == []


def test_why_shows_the_rule_and_the_source_words(alice: MemoryScope, tell: Tell) -> None:
    tell("Well — ☕ first! I moved to Oslo, by the way.", occurred=NOON, slept=NOON + HOUR)

    (fact,) = alice.facts(as_of=NOON + 2 * HOUR)
    (step,) = alice.why(fact.id).steps
    (version,) = (pack.version for pack in parts_of(alice).packs if pack.pack == "everyday")
    assert (step.kind, step.rule) == ("add", f"everyday/moved-home@{version}")
    (evidence,) = step.evidence
    assert evidence.words == "I moved to Oslo"
    assert evidence.content.startswith("Well — ☕")


def test_why_is_limited_to_its_tenant_and_known_ids(alice: MemoryScope, tell: Tell) -> None:
    tell("I moved to Oslo", occurred=NOON, slept=NOON + HOUR)
    (fact,) = alice.facts(as_of=NOON + 2 * HOUR)

    with pytest.raises(NotFound):
        Memory(parts_of(alice)).why(fact.id, tenant="somebody-else")
    with pytest.raises(NotFound):
        alice.why("no-id-at-all")


def test_drain_raises_unavailable_while_another_worker_holds_the_work(parts: Parts, alice: MemoryScope) -> None:
    alice.push("I moved to Oslo")
    due_work.fire(parts, alice.scope.id)
    assert parts.runs.claim(owner="somebody", scope=alice.scope.id, jobs=None, overdue_seconds=0) is not None

    with pytest.raises(Unavailable):
        Memory(parts_of(alice)).drain(timeout=0.1)


def test_a_report_summarises_a_run_in_one_line_without_internals(alice: MemoryScope) -> None:
    alice.push("I live in Lisbon")
    alice.push("I like rowing")

    reports = {report.job: report for report in alice.consolidate()}

    report = reports["consolidate"]
    assert (report.outcome, report.episodes, report.deltas) == ("ok", 2, {"add": 2})
    assert repr(report) == f"<run {report.run}, consolidate by everyday: ok, 2 add of 2 episodes>"
    assert repr(reports["prepare"]).startswith(f"<run {reports['prepare'].run}, prepare: ok, ")
    assert not {"fence", "owner", "intent", "condemned"} & {name for name in dir(report) if not name.startswith("_")}
    assert Memory(parts_of(alice)).drain() == []
