"""A remote memory has the verbs of a local one, also awaited; the guide's code runs."""

import asyncio
import inspect
import re
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from slowwave import (
    AsyncMemory,
    Conflict,
    Episode,
    Fact,
    Incorrect,
    Memory,
    MemoryScope,
    NotFound,
    Recollection,
    Report,
    wiring,
)
from slowwave.domain.context import PromptContext
from slowwave.errors import Forbidden, Unauthorized
from slowwave.memory.goals import Goals
from slowwave.memory.operations import Access, Encryption, Operator, Quotas
from slowwave.memory.patterns import Strategies
from slowwave.memory.undoing.canaries import Canaries
from slowwave.memory.verb_group import parts_of
from slowwave.remote import RemoteMemory, RemoteScope, verb_groups
from slowwave.remote.responses import OutOfReach
from slowwave.remote.verbs import RemoteVerbs
from tests.contract.replay.packs import VERSIONS, deaf, declare
from tests.integration.steps import homes

DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
MOVED = Episode(content="I live in Lisbon", key="m1", session="s1", speaker="Nora", occurred_at=DAY)
NEXT = Episode(content="My dog is called Otis", key="m2", session="s1", speaker="Nora", occurred_at=DAY)


def learned(memory: Memory, beside: Memory) -> tuple[MemoryScope, list[Report]]:
    """A scope with two texts that were pushed to *memory*, and consolidated at the database."""
    here = memory.scope("nora", agent="concierge")
    assert [one.state for one in here.push_many([MOVED, NEXT])] == ["stored", "stored"]
    assert [due.job for due in here.end_session("s1")] == ["consolidate"]
    return here, beside.scope("nora", agent="concierge").consolidate()


@pytest.mark.parametrize(
    ("real", "over_http"),
    [
        (Memory, RemoteMemory), (MemoryScope, RemoteScope),
        *((kind, getattr(verb_groups, f"Remote{kind.__name__}"))
          for kind in (Goals, Strategies, Operator, Canaries, Quotas, Encryption)),
    ],
)  # fmt: skip
def test_each_verb_exists_remotely_or_says_that_it_does_not(real: type, over_http: type[RemoteVerbs]) -> None:
    verbs = {name for name in dir(real) if not name.startswith("_")}
    there = {name for name in dir(over_http) if not name.startswith("_") and callable(getattr(real, name, None))}
    assert verbs - set(dir(over_http)) == over_http.beside_the_database
    for name in there - {"connect"}:
        ours, theirs = (inspect.signature(getattr(kind, name)).parameters for kind in (over_http, real))
        assert list(map(str, ours.values())) == list(map(str, theirs.values())), name


def test_remote_push_and_recall_and_why_equal_the_local_ones(memory: Memory, beside: Memory) -> None:
    here, _ = learned(memory, beside)
    there = beside.scope("nora", agent="concierge")
    again = here.push(MOVED)
    assert (again.state, again.repeated, again.id) == ("stored", True, there.push(MOVED).id)

    (fact,) = [one for one in here.facts() if one.predicate == "lives_in"]
    assert isinstance(fact, Fact)
    assert (fact.object, fact.scope.agent) == ("Lisbon", "concierge")
    assert list(here.facts()) == list(there.facts())

    (best, *_) = found = here.recall("Where does Nora live?", limit=3)
    assert isinstance(best, Recollection)
    assert best.text == fact.text
    assert not found.embedder_away

    assert here.why(fact.id) == beside.why(fact.id)
    assert here.deltas() == there.deltas()
    assert memory.deltas(limit=1) == beside.deltas(limit=1)

    context = here.context("Where does Nora live?")
    assert isinstance(context, PromptContext)
    assert "Lisbon" in context.as_text()

    entry = here.search_index("Where does Nora live?")[0]
    assert here.entries([entry.id])[0] == there.entries([entry.id])[0]
    assert here.timeline(MOVED.key)
    assert here.feedback(best, 1.0).successes == 1
    assert repr(memory.operator().overview()) == repr(beside.operator().overview())
    ours, theirs = memory.operator(), beside.operator()
    assert ours.queue() == theirs.queue() == theirs.overview().queue
    assert repr(ours.budget()) == repr(theirs.budget()) == repr(theirs.overview().model_calls)
    assert ours.runs() == theirs.runs()
    assert memory.stats().nodes == beside.stats().nodes


def test_a_remote_check_finds_what_the_local_one_finds(
    memory: Memory, beside: Memory, superuser: psycopg.Connection
) -> None:
    learned(memory, beside)
    assert memory.check(rebuild=True) == memory.check() == []
    superuser.execute("UPDATE facts SET confidence = 0.01")

    found = memory.check(rebuild=True)

    assert found == beside.check(rebuild=True)
    assert "fold-differs" in [one.invariant for one in found]


def test_quotas_of_any_tenant_are_set_and_removed_remotely(memory: Memory, beside: Memory) -> None:
    memory.quotas.set("recalls-a-minute", 7, user="nobody/at all")
    memory.quotas.set("recalls-a-minute", 9, each_user=True, tenant="acme")
    for tenant, most, whose in ((None, 7, ("user", "nobody/at all")), ("acme", 9, ("each user", None))):
        (quota,) = memory.quotas.listing(tenant=tenant)
        assert (quota.most, quota.applies, quota.user) == (most, *whose)
    memory.quotas.remove("recalls-a-minute", user="nobody/at all")
    memory.quotas.remove("recalls-a-minute", each_user=True, tenant="acme")
    assert (*beside.quotas.listing(), *beside.quotas.listing(tenant="acme")) == ()
    with pytest.raises(NotFound, match="no quota of recalls-a-minute"):
        memory.quotas.remove("recalls-a-minute", user="nobody/at all")
    with pytest.raises(Incorrect, match="'naps' is not a quota"):
        memory.quotas.set("naps", 1)


def test_remote_goals_and_strategies_equal_the_local_ones(memory: Memory) -> None:
    here = memory.scope("nora")
    goal = here.goals.add("Find a flat", priority=2, key="g1")
    assert here.goals.add("Find a flat", priority=2, key="g1").goal_id == goal.goal_id
    assert here.goals.block(goal.goal_id, "no money").status == "blocked"
    assert here.goals.resume(goal.goal_id).status == "active"
    assert [one.description for one in here.goals.list()] == ["Find a flat"]
    assert here.goals.complete(goal.goal_id, result="found").result == "found"
    with pytest.raises(Conflict):
        here.goals.complete(goal.goal_id, "abandoned")
    with pytest.raises(NotFound):
        here.goals.get("no-such-goal")
    assert here.strategies.learn_strategy("Search, then ask", "flats", ["search", "ask"], "s1", True, key="k1")


def test_the_remote_memory_raises_the_errors_of_the_library(memory: Memory) -> None:
    here = memory.scope("nora")
    here.push("I live in Lisbon", key="m1")
    with pytest.raises(Conflict, match="other content") as taken:
        here.push("I live in Oslo", key="m1")
    assert taken.value.hint
    with pytest.raises(Incorrect) as wrong:
        here.push("", key="m2", role="nobody")  # type: ignore[arg-type]
    assert len(wrong.value.problems) == 2
    with pytest.raises(NotFound) as missing:
        here.why("00000000-0000-0000-0000-000000000000")
    assert missing.value.hint
    states = [one.state for one in here.push_many(["fine", {"content": ""}, {"content": "other", "key": "m1"}])]
    assert states == ["stored", "refused", "refused"]
    with pytest.raises(Incorrect, match="limit"):
        here.recall("Where?", limit=0)


def test_a_key_allows_only_its_verbs(address: str, parts: wiring.Parts) -> None:
    with Memory.connect(address, key="sw_none") as stranger, pytest.raises(Unauthorized):
        stranger.scope("nora").push("I live in Lisbon")
    _, pushing = Access(parts).create("push", ["push"], tenant=parts.settings.tenant)
    with Memory.connect(address, key=pushing) as there, pytest.raises(Forbidden):
        there.scope("nora").recall("Where?")


def test_verbs_that_need_the_database_are_refused(remote: Memory) -> None:
    with pytest.raises(OutOfReach, match=r"memory\.drain is not available over HTTP"):
        remote.drain()
    with pytest.raises(OutOfReach, match=r"scope\.consolidate"):
        remote.scope("nora").consolidate()
    with pytest.raises(OutOfReach, match="explain"):
        remote.scope("nora").recall("Where?", explain=True)
    with pytest.raises(OutOfReach, match="tenant"):
        remote.scope("nora", tenant="theirs")
    assert not hasattr(remote.scope("nora"), "graph")
    with pytest.raises(AttributeError, match="no attribute"):
        remote.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_settings_of_a_database_are_refused() -> None:
    with pytest.raises(Incorrect, match="embedder"):
        Memory.connect("http://127.0.0.1:1", embedder="none")
    with pytest.raises(Incorrect, match="address of a server"):
        Memory.connect("http://")
    with pytest.raises(Incorrect, match="key"):
        Memory.connect("postgresql://localhost/none", key="sw_none")


def test_a_remote_undo_and_correction_equal_the_local_ones(memory: Memory, beside: Memory) -> None:
    here, reports = learned(memory, beside)
    report = next(one for one in reports if one.deltas)
    (home,) = (one for one in here.facts() if one.predicate == "lives_in")

    seen = memory.undo(report.run, preview=True)
    done = memory.undo(report.run, by="Anna", reason="a joke")

    assert [one.text for one in seen.withdrawn] == [one.text for one in done.withdrawn]
    assert home.id in [one.fact for one in done.withdrawn]
    assert (memory.undos(), here.undos()) == (beside.undos(), [done])
    assert not here.facts()
    assert here.undo(done.id).what == f"the undo of run {report.run}"
    (home,) = (one for one in here.facts() if one.predicate == "lives_in")
    corrected = here.correct(home.id, "Lagos", by="Anna")
    assert homes(here) == ["Lagos"]
    assert corrected.corrected in [one.id for one in here.facts()]
    assert memory.replay("everyday", preview=True) == beside.replay("everyday", preview=True)
    with pytest.raises(NotFound):
        memory.undo(10**6)


def test_a_remote_canary_equals_the_local_one(memory: Memory, beside: Memory) -> None:
    parts = parts_of(beside)
    declare(parts, deaf("Otis"), version=next(VERSIONS))
    here, _ = learned(memory, beside)

    assert memory.canaries.listing() == beside.canaries.listing()
    seen = memory.canaries.status("everyday")
    assert (seen, seen.read) == (beside.canaries.status("everyday"), 1)
    assert [one.text for one in seen.difference.restored] == ["Nora has a dog called Otis"]
    assert memory.canaries.promote("everyday", by="Anna").verdict == "promoted"
    done = memory.canaries.roll_back("everyday", by="Anna", reason="it is deaf")

    assert memory.undos() == [done.replays["default"]]
    assert "Nora has a dog called Otis" in [one.text for one in here.facts()]
    with pytest.raises(Incorrect, match="no pack 'nothing' is installed"):
        memory.canaries.status("nothing")
    declare(parts, deaf("dog"), version=next(VERSIONS))
    named = f"everyday@{seen.canary.version}"
    assert memory.canaries.status(named) == beside.canaries.status(named)
    assert memory.canaries.roll_back(named).canary == beside.canaries.status(named).canary


def test_a_remote_erasure_equals_the_local_one(memory: Memory, beside: Memory) -> None:
    here, _ = learned(memory, beside)

    seen = memory.forget(user="nora", preview=True)
    assert seen == beside.forget(user="nora", preview=True)
    assert here.forget(preview=True).kind == "scope"
    done = memory.forget(user="nora", confirm=seen.token, rewrite=False)

    assert memory.erasures() == beside.erasures() == [done]
    assert memory.verify_erasure(done)
    assert memory.rewrite_erased() in (0, 1)
    assert not here.facts()
    with pytest.raises(NotFound):
        memory.forget(user="nobody")


def test_verbs_are_awaited(address: str, key: str) -> None:
    async def agent() -> None:
        async with AsyncMemory.connect(address, key=key) as memory:
            scope = memory.scope("nora", agent="concierge")
            told = await asyncio.gather(*(scope.push("I live in Lisbon", key=f"m{n}") for n in range(8)))
            assert {one.state for one in told} == {"stored"}
            assert all(isinstance(one, Fact) for one in await scope.facts())
            assert (await scope.goals.add("Find a flat", key="g1")).status == "active"
            with pytest.raises(OutOfReach):
                await scope.consolidate()
            assert (await memory.check(rebuild=True), await memory.encryption.listing(tenant="acme")) == ([], [])
        other = await AsyncMemory.connect(address, key=key)
        assert (await other.scope("nora").recall("Where does Nora live?", agents=["concierge"]))[0].text
        await other.close()

    asyncio.run(agent())


GUIDE = Path(__file__).parents[3] / "ops" / "docs" / "guides" / "clients.md"


def test_the_python_block_of_the_guide_runs(address: str, key: str, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(block.replace("http://127.0.0.1:8080", address).replace("sw_…", key), str(GUIDE), "exec"), {})
    assert "I moved to Oslo last week" in capsys.readouterr().out


@pytest.mark.accept
def test_a_batch_that_a_quota_refuses_or_interrupts_is_never_stored_twice(
    memory: Memory, parts: wiring.Parts, superuser: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("slowwave.remote.responses.BATCH", 4)
    scope, items = memory.scope("nora"), [f"I like tea {number}" for number in range(9)]
    parts.quotas.set(parts.settings.tenant, "episodes-a-minute", 3)

    with pytest.raises(Incorrect, match="at most 3 episodes at once"):
        scope.push_many(items)
    assert superuser.execute("SELECT count(*) FROM episodes").fetchone() == (0,)

    parts.quotas.set(parts.settings.tenant, "episodes-a-minute", 6)
    monkeypatch.setattr("slowwave.jobs.ingest.BATCH", 4)
    while items:
        superuser.execute("UPDATE quotas SET seen = seen - interval '1 minute'")
        receipts = scope.push_many(items)
        items = [item for item, receipt in zip(items, receipts, strict=True) if receipt.state == "refused"]
    stored = superuser.execute("SELECT count(*), count(DISTINCT content) FROM episodes").fetchone()
    assert stored == (9, 9)
