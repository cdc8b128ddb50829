"""Orders to undo: their targets, their refusals, and their reports."""

import uuid

import pytest

from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, NotFound, SlowwaveError, Unavailable
from slowwave.memory import Memory
from tests.conftest import NOON
from tests.contract.harness import Harness, somebody
from tests.contract.late_arrivals.comparing import sound
from tests.contract.late_arrivals.test_late_episodes import episodes
from tests.contract.undo.undoing import fact_of, tell, tell_all, texts

LISBON, OSLO, TEA, MILK = (
    "The user lives in Lisbon", "The user lives in Oslo", "The user likes tea", "The user likes milk",
)  # fmt: skip


def test_an_undo_lists_withdrawn_and_restored_and_changed_facts_and_dependent_runs(
    harness: Harness, memory: Memory
) -> None:
    scope = somebody()
    runs = tell(harness, scope, ["I live in Lisbon", "I just moved to Oslo", "I live in Oslo", "I like tea"])

    done = memory.undo(runs[1], by="Anna", reason="she never moved")

    assert (done.what, done.by, done.reason) == (f"run {runs[1]}", "Anna", "she never moved")
    assert [(one.before.text, one.after.text) for one in done.changed] == [(LISBON, LISBON), (OSLO, OSLO)]
    assert (done.withdrawn, done.restored) == ((), ())
    assert [one.run for one in done.built_on] == [runs[2]]
    assert (done.scopes, len(done.runs), done.unsure, done.state) == ((scope,), 1, 0, "done")

    done = memory.undo(runs[3])

    assert [one.text for one in done.withdrawn] == [TEA]
    assert texts(harness, scope) == [OSLO]
    assert repr(done).startswith(f"<Undone {str(done.id)[:8]}…: run {runs[3]}, 1 withdrawn, 0 restored, 0 changed")


def test_a_preview_equals_the_undo_and_writes_nothing(harness: Harness, memory: Memory, scope: Scope) -> None:
    runs = tell(harness, scope, ["I live in Lisbon", "I just moved to Oslo"])
    before = harness.rows("SELECT count(*), (SELECT count(*) FROM runs), (SELECT count(*) FROM undos) FROM deltas")

    seen = memory.undo(runs[1], preview=True)

    after = harness.rows("SELECT count(*), (SELECT count(*) FROM runs), (SELECT count(*) FROM undos) FROM deltas")
    assert before == after
    assert (seen.preview, seen.id, seen.runs) == (True, None, ())
    done = memory.undo(runs[1])
    assert [one.text for one in seen.withdrawn] == [one.text for one in done.withdrawn] == [OSLO]
    assert [one.after.valid_to for one in seen.changed] == [one.after.valid_to for one in done.changed] == [None]
    assert memory.undo(done.id, preview=True).restored[0].text == OSLO


def test_the_same_undo_again_changes_nothing(harness: Harness, memory: Memory, scope: Scope) -> None:
    runs = tell(harness, scope, ["I like tea", "I like milk"])
    first = memory.undo(runs[1])
    deltas = harness.value("SELECT count(*) FROM deltas")

    again = memory.undo(runs[1])

    assert again == first
    assert harness.value("SELECT count(*) FROM deltas") == deltas


def test_undoing_a_delta_withdraws_its_claim(harness: Harness, memory: Memory, scope: Scope) -> None:
    tell(harness, scope, ["I like tea", "I like milk"])
    (tea, _) = memory.scope(scope.user, agent=scope.agent).deltas()

    memory.undo(tea.id)

    assert texts(harness, scope) == [MILK]


def test_an_undo_of_a_pack_covers_each_run_in_each_scope(harness: Harness, memory: Memory) -> None:
    here, there = somebody(), somebody()
    tell(harness, here, ["I like tea"])
    tell(harness, there, ["I like tea", "I like milk"])
    version = harness.value("SELECT version FROM packs WHERE pack = 'everyday'")

    done = memory.undo(f"everyday@{version}")

    assert (texts(harness, here), texts(harness, there)) == ([], [])
    assert (done.scopes, len(done.runs)) == (tuple(sorted([here, there])), 2)
    assert memory.undo(done.id).state == "done"
    assert (texts(harness, here), texts(harness, there)) == ([TEA], [MILK, TEA])


def test_an_undo_since_a_time_is_limited_to_its_scope(harness: Harness, memory: Memory) -> None:
    here, there = somebody(), somebody()
    first, *rest = episodes(["I like tea", "I like milk", "I like milk"])
    tell_all(harness, here, [first])
    since = harness.value("SELECT slowwave_now()")
    tell_all(harness, here, rest)
    tell(harness, there, ["I like milk"])

    memory.scope(here.user, agent=here.agent).undo(since=since)

    assert (texts(harness, here), texts(harness, there)) == ([TEA], [MILK])
    memory.undo(since=since.isoformat())
    assert (texts(harness, here), texts(harness, there)) == ([TEA], [])
    assert [one.what for one in memory.undos()] == [f"everything since {since.isoformat()}"] * 2
    assert len(memory.scope(there.user, agent=there.agent).undos()) == 1


def test_an_undo_keeps_manual_decisions(harness: Harness, memory: Memory, scope: Scope) -> None:
    since = harness.value("SELECT slowwave_now()")
    tell(harness, scope, ["I like tea"])
    memory.scope(scope.user, agent=scope.agent).apply({
        "kind": "add", "source_episode_ids": [str(scope.episode_id("k1"))], "promotion_ts": NOON, "rule_id": "by/hand",
        "confidence": 1.0, "fact_payload": {"subject": "user", "predicate": "likes", "object": "milk"},
    })  # fmt: skip

    memory.undo(since=since)

    assert texts(harness, scope) == [MILK]


def test_an_impossible_undo_says_why_and_what_to_do(harness: Harness, memory: Memory, scope: Scope) -> None:
    (run,) = tell(harness, scope, ["I like tea"])
    done = memory.undo(run)
    assert done.id is not None
    back = memory.undo(done.id)
    assert memory.undo(done.id) == back
    memory.undo(back.runs[0])
    silent = tell(harness, somebody(), ["Hm."])[0]
    refused: dict[int | str | uuid.UUID, tuple[type[SlowwaveError], str]] = {
        10**6: (NotFound, "there is no run 1000000 here"),
        str(uuid.uuid4()): (NotFound, "there is no delta"),
        "everyday@999": (NotFound, "no run of everyday@999 is known here"),
        "everyday": (Incorrect, "expected a run, a delta, an undo or PACK@VERSION, got 'everyday'"),
        silent: (Incorrect, f"nothing to undo: run {silent} changed no belief"),
        done.id: (Incorrect, f"the undo of run {run} was taken back"),
    }
    for what, (kind, said) in refused.items():
        with pytest.raises(kind) as error:
            memory.undo(what)
        assert said in str(error.value)
        assert error.value.hint
    with pytest.raises(Incorrect, match="what: is missing"):
        memory.undo()
    with pytest.raises(Incorrect, match="since: can be combined only with a pack"):
        memory.undo(run, since=NOON)


def test_an_undone_delta_cannot_be_undone_again(harness: Harness, memory: Memory, scope: Scope) -> None:
    (run,) = tell(harness, scope, ["I like tea"])
    (delta,) = memory.scope(scope.user, agent=scope.agent).deltas()
    memory.undo(run)

    with pytest.raises(Incorrect, match=f"nothing to undo: delta {delta.id} is undone already"):
        memory.undo(delta.id)


def test_another_tenants_run_cannot_be_undone(harness: Harness, memory: Memory, scope: Scope) -> None:
    (run,) = tell(harness, scope, ["I like tea"])
    done = memory.undo(run)

    for what in (run, done.id, done.runs[0]):
        with pytest.raises(NotFound):
            memory.undo(what, tenant="another")
    assert memory.undos(tenant="another") == []
    assert harness.rows("SELECT DISTINCT tenant FROM undos UNION SELECT tenant FROM undone") == [("default",)]


def test_why_names_the_person_and_reason_of_an_undo(harness: Harness, memory: Memory, scope: Scope) -> None:
    (run,) = tell(harness, scope, ["I like tea"])
    fact = fact_of(harness, scope, "tea")
    done = memory.undo(run, by="Anna", reason="it was a joke")

    explained = memory.why(fact)

    assert not explained.believed
    made, undone = explained.steps
    assert undone.reason == f"run {run} was undone by Anna: it was a joke"
    assert (undone.kind, undone.run, undone.rule) == ("delete", done.runs[0], "slowwave.undo@1")
    assert [one.words for one in undone.evidence] == [one.words for one in made.evidence]


def test_an_undo_is_in_the_audit_log_with_its_order(harness: Harness, memory: Memory, scope: Scope) -> None:
    (run,) = tell(harness, scope, ["I like tea"])

    done = memory.undo(run, by="Anna", reason="it was a joke")

    ((detail, affected),) = harness.rows(
        "SELECT detail, affected FROM audit_log WHERE scope = %s AND detail ? 'undo'", scope.id
    )
    assert detail == {"undo": str(done.id), "what": f"run {run}", "by": "Anna", "reason": "it was a joke"}
    assert len(affected) == 1
    ((job, pack, outcome, counts),) = harness.rows(
        "SELECT job, pack, outcome, counts FROM runs WHERE run = %s", done.runs[0]
    )
    assert (job, pack, outcome, counts) == ("undo", "_undo", "ok", {"delete": 1})


def test_an_undo_of_a_held_scope_stays_pending_until_finished(harness: Harness, memory: Memory, scope: Scope) -> None:
    runs = tell(harness, scope, ["I like tea", "I like milk"])
    harness.told(scope, 1, start=3)
    held = harness.claimed(scope=scope)

    with pytest.raises(Unavailable, match="a worker still holds"):
        memory.undo(runs[1], timeout=0)
    assert [one.state for one in memory.undos()] == ["pending"]
    assert texts(harness, scope) == [MILK, TEA]

    harness.settle(held)
    assert memory.undo(runs[1]).state == "done"
    assert texts(harness, scope) == ["The user likes food3", TEA]
    sound(harness, scope)


def test_a_worker_that_lost_its_lease_to_an_undo_writes_nothing(harness: Harness, memory: Memory, scope: Scope) -> None:
    (run,) = tell(harness, scope, ["I like tea"])
    harness.told(scope, 1, start=3)
    slow = harness.claimed(scope=scope)
    harness.later(3 * harness.lease)

    memory.undo(run)

    with pytest.raises(Exception, match="another worker holds"):
        harness.settle(slow)
    harness.later(3 * harness.lease)
    harness.drain()
    assert texts(harness, scope) == ["The user likes food3"]
