"""kill -9 at every end of a transaction of an undo and a replay leaves nothing half done; a repetition finishes it."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.undoing.canaries import Canaries
from slowwave.rules.folders import default_roots
from slowwave.settings import Settings
from tests.contract.harness import Harness, somebody
from tests.contract.late_arrivals.comparing import believed, sound
from tests.contract.late_arrivals.test_late_episodes import episodes
from tests.contract.replay.packs import deaf, declare, install
from tests.contract.undo.undoing import tell_all
from tests.faults.rig.killed import dies, heavy
from tests.faults.rig.provider import answering
from tests.integration.cli.test_dry_runs import other_reader
from tests.integration.steps import learn

BEFORE = ["I live in Lisbon", "I like tea"]
SINCE = ["I just moved to Oslo", "I like milk", "I don't like tea any more", "I live in Oslo"]
TOLD = [*BEFORE, *SINCE[:-1]]


Beliefs = list[tuple[Any, ...]]


def undo(parts: wiring.Parts, since: datetime) -> None:
    Memory(parts).undo(since=since, by="Anna")


def replay_all(parts: wiring.Parts) -> None:
    Memory(parts).replay("everyday", by="Anna")


def roll_back(parts: wiring.Parts) -> None:
    Canaries(parts).roll_back("everyday", by="Anna", reason="it is deaf")


def replay_asking(parts: wiring.Parts, scope: Scope) -> None:
    MemoryScope(parts, scope).replay("reader", ask=True, by="Anna")


def with_model(url: str, rules: Path, parts: wiring.Parts) -> None:
    """Give the parts a model, and the packs under *rules*."""
    changed = {"model": "echo", "model_url": url, "rules": rules, "statements": False}
    settings = Settings.load(**{**parts.settings.model_dump(exclude_unset=True), **changed})
    for made in ("_readers", "models", "provider", "asker", "watched", "registry", "jobs", "packs"):
        vars(parts).pop(made, None)
    vars(parts).update(settings=settings)


def read_deaf(parts: wiring.Parts) -> None:
    """Let the pack drop all claims about Oslo."""
    install(parts, deaf("Oslo"))


def killed_to_the_end(
    harness: Harness,
    work: Callable[..., None],
    scopes: Sequence[Scope],
    old: Beliefs,
    new: Beliefs,
    *arguments: object,
    before: Callable[[wiring.Parts], None] | None = None,
) -> None:
    """Repeat *work* until it is not killed; each scope has *old* or *new* beliefs, and in the end *new* ones."""
    ends, mixed, done = 1, 0, 0
    while dies(work, harness.parts.url, ends, *arguments, before=before):
        ends += 1
        left = [believed(harness, scope) for scope in scopes]
        assert all(one in (old, new) for one in left), f"half done after a kill at end {ends - 1}"
        assert left.count(new) >= done, "once it is done it stays done"
        done = left.count(new)
        mixed += 0 < done < len(scopes)

    assert ends > 8
    assert mixed
    assert [believed(harness, scope) for scope in scopes] == [new] * len(scopes)
    for scope in scopes:
        sound(harness, scope)


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_a_killed_undo_leaves_whole_scopes_and_a_repeated_one_finishes(harness: Harness) -> None:
    scopes, never, told = [somebody() for _ in range(3)], somebody(), episodes([*BEFORE, *SINCE])
    for scope in (*scopes, never):
        tell_all(harness, scope, told[: len(BEFORE)])
    since = harness.value("SELECT slowwave_now()")
    for scope in scopes:
        tell_all(harness, scope, told[len(BEFORE) :])
    full, without = believed(harness, scopes[0]), believed(harness, never)
    assert full != without

    killed_to_the_end(harness, undo, scopes, full, without, since)

    assert [(one.state, len(one.runs)) for one in Memory(harness.parts).undos()] == [("done", 3)]


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_a_killed_replay_of_a_tenant_leaves_whole_scopes_and_a_repeated_one_finishes(harness: Harness) -> None:
    parts, always, scopes = harness.parts, somebody(), [somebody() for _ in range(3)]
    vars(parts).update(heavy())
    for scope in scopes:
        tell_all(harness, scope, episodes(TOLD))
    old = believed(harness, scopes[0])
    read_deaf(parts)
    tell_all(harness, always, episodes(TOLD))
    new = believed(harness, always)
    assert old != new

    killed_to_the_end(harness, replay_all, scopes, old, new, before=read_deaf)

    assert believed(harness, always) == new
    orders = Memory(parts).undos()
    assert sorted(run for one in orders for run in one.runs) == sorted({run for one in orders for run in one.runs})
    assert sum(len(one.runs) for one in orders) == 3, "each scope is replayed once"
    for one in orders:
        Memory(parts).undo(one.id)
    assert [believed(harness, scope) for scope in (*scopes, always)] == [old, old, old, new]
    for scope in scopes:
        sound(harness, scope)


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_a_killed_roll_back_leaves_whole_scopes_and_a_repeated_one_finishes(harness: Harness) -> None:
    parts, never, scopes = harness.parts, somebody(), [somebody() for _ in range(3)]
    vars(parts).update(heavy())
    tell_all(harness, never, episodes(TOLD))
    declare(parts, deaf("Oslo"), version=2001)
    for scope in scopes:
        tell_all(harness, scope, episodes(TOLD))
    declare(parts)
    deaf_ones, without = believed(harness, scopes[0]), believed(harness, never)
    assert deaf_ones != without

    killed_to_the_end(harness, roll_back, scopes, deaf_ones, without)


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_a_killed_roll_back_of_replays_leaves_whole_scopes_and_a_repeated_one_finishes(harness: Harness) -> None:
    parts, never, scopes = harness.parts, somebody(), [somebody() for _ in range(3)]
    vars(parts).update(heavy())
    for scope in (never, *scopes):
        tell_all(harness, scope, episodes(TOLD)[:2])
    tell_all(harness, never, episodes(TOLD)[2:])
    declare(parts, deaf("Oslo", "tea"), version=2002)
    for scope in scopes:
        tell_all(harness, scope, episodes(TOLD)[2:])
        Memory(parts).scope(scope.user, agent=scope.agent).replay("everyday")
    declare(parts)
    deaf_ones, without = believed(harness, scopes[0]), believed(harness, never)
    assert deaf_ones != without

    killed_to_the_end(harness, roll_back, scopes, deaf_ones, without)


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_a_killed_replay_that_asks_a_model_keeps_the_replies_and_a_repeated_one_finishes(
    harness: Harness, superuser: psycopg.Connection, tmp_path: Path
) -> None:
    scope, other = somebody(), other_reader(tmp_path / "packs").parent
    like = {"n": 1, "s": "user", "p": "likes", "o": "tea", "q": "like tea"}
    with answering(replies=lambda _: json.dumps({"claims": [like]})) as provider:
        with_model(provider.url, default_roots()[0], harness.parts)
        wiring.register(harness.parts)
        for session in "ab":
            learn(MemoryScope(harness.parts, scope), "I like tea.", session=session)
        old = believed(harness, scope)
        assert old
        assert provider.billed.total() == 2
        provider.replies = lambda _: '{"claims": []}'
        ends, answers = 1, 0
        while dies(replay_asking, harness.parts.url, ends, scope, before=partial(with_model, provider.url, other)):
            assert believed(harness, scope) in (old, [])
            stored = harness.value("SELECT count(*) FROM model_replies WHERE n = 0") - 2
            assert stored >= answers, "a reply that is there stays there"
            answers = stored
            superuser.execute("UPDATE model_slots SET until = now() - interval '1 hour' WHERE call IS NOT NULL")
            ends += 3

        assert ends > 30
        assert believed(harness, scope) == []
        paid = harness.value("SELECT count(*) FROM model_calls WHERE outcome = 'vanished'")
        assert provider.billed.total() <= 4 + paid, "only a call whose process died is repeated"
        assert harness.value("SELECT count(*) FROM model_requests WHERE state NOT IN ('answered')") == 0
        sound(harness, scope)
