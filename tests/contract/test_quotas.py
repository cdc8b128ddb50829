"""Quotas: a tenant above its quota is told how long to wait; other tenants are not affected."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.domain.dead_letter import Refused
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.errors import Crowded, Incorrect, NotFound
from slowwave.memory import Memory, MemoryScope
from slowwave.store.access import quotas
from tests.contract.harness import Harness

ANN, BOB = Scope("acme", "ann", "a"), Scope("acme", "bob", "a")
OTHER = Scope("globex", "ann", "a")


def episodes(*numbers: int) -> list[Episode]:
    return [Episode(content=f"I like tea {number}", key=str(number)) for number in numbers]


def left(harness: Harness) -> dict[str, int | None]:
    return {one.what: one.left for one in harness.parts.quotas.listing("acme")}


def states(harness: Harness, scope: Scope, *numbers: int) -> list[str]:
    return [receipt.state for receipt in harness.parts.push(scope, episodes(*numbers))]


def refused(harness: Harness, scope: Scope, *numbers: int, match: str | None = None) -> Crowded:
    """Push episodes that must be over a quota; return the refusal."""
    with pytest.raises(Crowded, match=match) as crowded:
        harness.parts.push(scope, episodes(*numbers))
    return crowded.value


def test_a_tenant_without_quotas_has_no_limit(harness: Harness) -> None:
    assert states(harness, ANN, *range(50)) == ["stored"] * 50
    assert left(harness) == {}


def test_a_push_beyond_the_quota_is_told_how_long_to_wait_and_may_come_then(harness: Harness) -> None:
    harness.stop_clock()
    harness.parts.quotas.set("acme", "episodes-a-minute", 6)
    assert states(harness, ANN, 1, 2, 3) == ["stored"] * 3
    assert states(harness, BOB, 1, 2) == ["stored"] * 2

    told = "the quota of episodes-a-minute is used up: 6 for this tenant; wait 10 s"
    assert refused(harness, ANN, 4, 5, match=told).retry_after_seconds == pytest.approx(10)

    assert left(harness) == {"episodes-a-minute": 1}
    assert states(harness, OTHER, *range(9)) == ["stored"] * 9
    harness.later(10)
    assert states(harness, ANN, 4, 5) == ["stored"] * 2


def test_a_push_that_one_quota_refuses_is_counted_in_no_quota(harness: Harness) -> None:
    harness.parts.quotas.set("acme", "bytes-a-day", 1_000)
    harness.parts.quotas.set("acme", "episodes-a-minute", 1)
    assert states(harness, ANN, 1) == ["stored"]
    before = left(harness)["bytes-a-day"]

    refused(harness, ANN, 2)

    assert before == 1_000 - len("I like tea 1")
    assert left(harness)["bytes-a-day"] == before


def test_the_bytes_of_metadata_count(harness: Harness) -> None:
    harness.parts.quotas.set("acme", "bytes-a-day", 1_000)

    harness.parts.push(ANN, [Episode(content="tea", metadata={"note": "é" * 100})])

    assert left(harness)["bytes-a-day"] == 1_000 - len("tea") - len('{"note": ""}') - 2 * 100


def test_an_episode_larger_than_the_quota_is_refused_for_good(harness: Harness) -> None:
    harness.parts.quotas.set("acme", "bytes-a-day", 5)

    (receipt,) = harness.parts.push(ANN, episodes(1))

    assert receipt.state == "refused"
    assert isinstance(receipt.error, Incorrect)
    assert "is 5, and this needs 12 at once" in str(receipt.error)


def unkeyed(count: int) -> list[str]:
    return [f"I like tea {number}" for number in range(count)]


def test_a_batch_without_keys_above_a_full_quota_is_refused_whole(harness: Harness, memory: Memory) -> None:
    scope = memory.scope("ann", agent="a", tenant="acme")
    harness.parts.quotas.set("acme", "episodes-a-minute", 30)

    for _ in range(3):
        with pytest.raises(Incorrect, match="push smaller batches, of at most 30 episodes at once"):
            scope.push_many(unkeyed(40))

    assert harness.value("SELECT count(*) FROM episodes") == 0
    assert left(harness) == {"episodes-a-minute": 30}


def test_a_quota_that_ends_within_a_batch_without_keys_doubles_no_episode(
    harness: Harness, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("slowwave.jobs.ingest.BATCH", 4)
    scope = memory.scope("ann", agent="a", tenant="acme")
    harness.stop_clock()
    harness.parts.quotas.set("acme", "episodes-a-minute", 6)
    items = unkeyed(9)

    while items:
        receipts = scope.push_many(items)
        items = [item for item, receipt in zip(items, receipts, strict=True) if receipt.state == "refused"]
        assert all(isinstance(receipt.error, Crowded) for receipt in receipts if receipt.state == "refused")
        harness.later(60)

    assert sorted(harness.column("SELECT content FROM episodes")) == unkeyed(9)


def test_a_batch_with_keys_above_a_full_quota_is_stored_by_its_repeats(harness: Harness, memory: Memory) -> None:
    scope = memory.scope("ann", agent="a", tenant="acme")
    harness.stop_clock()
    harness.parts.quotas.set("acme", "episodes-a-minute", 6)
    items = [{"content": words, "key": words} for words in unkeyed(9)]

    with pytest.raises(Crowded):
        scope.push_many(items)
    harness.later(60)

    assert {receipt.state for receipt in scope.push_many(items)} == {"stored"}
    assert sorted(harness.column("SELECT content FROM episodes")) == unkeyed(9)


def test_a_message_whose_retry_a_quota_interrupts_is_stored_once(harness: Harness, memory: Memory) -> None:
    harness.stop_clock()
    message = {"tenant": "acme", "user": "ann", "agent": "a", "episodes": [{"content": one} for one in unkeyed(9)]}
    harness.parts.inbox.bury([Refused(message, "malformed", "of a newer version")], scope="acme")
    operator = memory.operator(tenant="acme")
    (letter,) = operator.dead_letters()
    harness.parts.quotas.set("acme", "episodes-a-minute", 6)

    with pytest.raises(Crowded):
        operator.retry([letter.letter])
    harness.later(60)
    assert operator.retry([letter.letter]) == 1

    assert sorted(harness.column("SELECT content FROM episodes")) == unkeyed(9)


def test_the_quota_of_waiting_episodes_is_freed_by_preparing(harness: Harness) -> None:
    harness.parts.quotas.set("acme", "episodes-waiting", 3)
    assert states(harness, ANN, 1, 2) == ["stored"] * 2
    assert states(harness, BOB, 1) == ["stored"]
    refused(harness, BOB, 2, match="episodes-waiting")

    harness.drain()

    assert left(harness) == {"episodes-waiting": 3}
    assert states(harness, BOB, 2) == ["stored"]


def test_a_repeated_push_takes_from_no_quota(harness: Harness) -> None:
    harness.parts.quotas.set("acme", "episodes-a-minute", 1)
    assert states(harness, ANN, 1) == ["stored"]

    (receipt,) = harness.parts.push(ANN, episodes(1))

    assert (receipt.state, receipt.repeated) == ("stored", True)


@pytest.mark.parametrize("ask", [MemoryScope.recall, lambda scope, text: scope.continuum.retrieve(text)])
def test_a_recall_or_a_search_of_the_continuum_beyond_the_quota_is_refused(
    harness: Harness, memory: Memory, ask: Callable[[MemoryScope, str], object]
) -> None:
    scope = memory.scope("ann", agent="a", tenant="acme")
    scope.continuum.store("I live in Oslo")
    harness.parts.quotas.set("acme", "recalls-a-minute", 1)
    ask(scope, "Where does Ann live?")

    with pytest.raises(Crowded, match="recalls-a-minute"):
        ask(scope, "Where does Ann live?")


def test_a_recall_does_not_wait_for_a_push_that_is_under_way(harness: Harness) -> None:
    for what in ("recalls-a-minute", "episodes-a-minute"):
        harness.parts.quotas.set("acme", what, 9)

    with harness.parts.database.tenant("acme") as connection:
        harness.parts.quotas.spend_in(connection, "acme", episodes={"ann": 1}, bytes_={"ann": 9})
        harness.parts.quotas.spend_on_recall("acme", "ann")

    assert left(harness) == {"recalls-a-minute": 8, "episodes-a-minute": 8}


@pytest.fixture
def spooling(harness: Harness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[wiring.Parts]:
    """A process with an outbox that is not emptied while the tenant `acme` is above its quota."""
    monkeypatch.setattr("slowwave.jobs.spool.FIRST_PAUSE_SECONDS", 3600.0)
    harness.parts.quotas.set("acme", "episodes-waiting", 1)
    assert states(harness, ANN, 1) == ["stored"]
    parts = wiring.connect(harness.parts.settings.model_copy(update={"outbox": tmp_path / "outbox"}))
    yield parts
    parts.close()


def test_an_outbox_keeps_episodes_over_a_quota_and_stores_those_of_other_tenants(
    harness: Harness, spooling: wiring.Parts
) -> None:
    assert spooling.spooler is not None
    assert spooling.outbox is not None
    for scope in (ANN, BOB):
        assert [receipt.state for receipt in spooling.push(scope, episodes(2))] == ["spooled"]

    assert [receipt.state for receipt in spooling.push(OTHER, episodes(1))] == ["stored"]
    spooling.outbox.add(OTHER, episodes(2))
    with pytest.raises(Crowded, match="episodes-waiting"):
        spooling.spooler.drain()

    assert [entry.scope for entry in spooling.outbox.first(9)] == [ANN, BOB]
    assert harness.value("SELECT count(*) FROM episodes WHERE tenant = 'globex'") == 2
    harness.parts.quotas.remove("acme", "episodes-waiting")
    assert spooling.spooler.drain() == 2
    assert harness.value("SELECT count(*) FROM episodes WHERE tenant = 'acme'") == 3


def test_a_tenant_over_its_quota_does_not_block_another_tenants_outbox(spooling: wiring.Parts) -> None:
    assert spooling.outbox is not None
    spooling.push(ANN, episodes(2))
    spooling.outbox.add(OTHER, episodes(1))

    assert [receipt.state for receipt in spooling.push(OTHER, episodes(2))] == ["stored"]
    spooling.outbox.add(OTHER, episodes(3))
    Memory(spooling).scope("ann", agent="a", tenant="globex").consolidate()
    assert [entry.scope for entry in spooling.outbox.first(9)] == [ANN]


def test_a_new_quota_reaches_every_process_within_seconds(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    assert states(harness, ANN, 1) == ["stored"]
    there = quotas.Quotas(harness.parts.database)
    there.set("acme", "episodes-a-minute", 1)
    with harness.parts.database.tenant("acme") as connection:
        there.spend_in(connection, "acme", episodes={"ann": 1}, bytes_={"ann": 9})
    assert states(harness, ANN, 2) == ["stored"], "this process has not looked again"

    vars(harness.parts.quotas)["_free"].clear()  # five seconds have passed

    refused(harness, ANN, 3)
    there.remove("acme", "episodes-a-minute")
    with pytest.raises(NotFound, match="there is no quota of episodes-a-minute"):
        there.remove("acme", "episodes-a-minute")
    with pytest.raises(Incorrect, match="'cakes' is not a quota"):
        there.set("acme", "cakes", 1)


# quotas of users


def test_a_quota_of_each_user_limits_each_user_alone(harness: Harness) -> None:
    harness.stop_clock()
    harness.parts.quotas.set("acme", "episodes-a-minute", 2, applies="each user")
    assert states(harness, ANN, 1, 2) == ["stored"] * 2

    refused(harness, ANN, 3, match="2 for user ann; wait 30 s")

    assert states(harness, BOB, 1, 2) == ["stored"] * 2
    harness.later(30)
    assert states(harness, ANN, 3) == ["stored"]


def test_the_quota_of_one_user_replaces_the_quota_of_each_user(harness: Harness) -> None:
    harness.stop_clock()
    harness.parts.quotas.set("acme", "episodes-a-minute", 2, applies="each user")
    harness.parts.quotas.set("acme", "episodes-a-minute", 10, applies="user", user="ann")
    assert states(harness, ANN, *range(5)) == ["stored"] * 5
    assert states(harness, BOB, 1, 2) == ["stored"] * 2
    refused(harness, BOB, 3, match="2 for user bob")

    harness.parts.quotas.remove("acme", "episodes-a-minute", applies="user", user="ann")

    assert states(harness, ANN, 5) == ["stored"], "half of the quota was left"
    refused(harness, ANN, 6, match="2 for user ann; wait 30 s")


def test_the_quotas_of_tenant_and_user_both_apply_and_a_refused_push_is_counted_in_neither(harness: Harness) -> None:
    harness.stop_clock()
    harness.parts.quotas.set("acme", "episodes-a-minute", 3)
    harness.parts.quotas.set("acme", "episodes-a-minute", 2, applies="each user")
    assert states(harness, ANN, 1, 2) == ["stored"] * 2
    refused(harness, ANN, 3, match="for user ann")

    assert left(harness)["episodes-a-minute"] is None, "the last in the list is that of each user"
    assert states(harness, BOB, 1) == ["stored"]
    refused(harness, BOB, 2, match="3 for this tenant")


def test_waiting_episodes_and_recalls_are_limited_for_a_user_too(harness: Harness) -> None:
    harness.parts.quotas.set("acme", "episodes-waiting", 1, applies="each user")
    harness.parts.quotas.set("acme", "recalls-a-minute", 1, applies="user", user="ann")
    assert states(harness, ANN, 1) == states(harness, BOB, 1) == ["stored"]
    refused(harness, ANN, 2, match="episodes-waiting")

    memory = Memory(harness.parts)
    for user, allowed in (("bob", 3), ("ann", 1)):
        scope = memory.scope(user, agent="a", tenant="acme")
        for _ in range(allowed):
            scope.recall("Where does Ann live?")
    with pytest.raises(Crowded, match="recalls-a-minute is used up: 1 for user ann"):
        scope.recall("Where does Ann live?")


# turns of tenants


def test_a_tenant_with_a_longer_turn_gets_more_runs_in_each_round(harness: Harness) -> None:
    harness.parts.quotas.set("acme", "runs-in-turn", 3)
    for tenant in ("acme", "globex"):
        for number in range(12):
            harness.parts.push(Scope(tenant, f"user{number}", "a"), episodes(1))

    assert Memory(harness.parts).drain()

    order = harness.value("SELECT string_agg(tenant, ' ' ORDER BY run) FROM runs WHERE job = 'prepare'").split()
    first = order[:8]
    assert (first.count("acme"), first.count("globex")) == (6, 2)
