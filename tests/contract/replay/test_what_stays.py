"""A replay changes only its pack's claims in one scope; decisions, erasures and other packs' claims stay."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.domain.undo import Undone
from slowwave.errors import Incorrect, Unavailable
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.undoing import replaying
from tests.conftest import NOON
from tests.contract.harness import Harness, somebody
from tests.contract.late_arrivals.comparing import believed, reviews, sound
from tests.contract.late_arrivals.test_late_episodes import episodes
from tests.contract.replay.packs import deaf, install, mishearing
from tests.contract.undo.undoing import fact_of, tell, tell_all, texts

OSLO, TEA, MILK = "The user lives in Oslo", "The user likes tea", "The user likes milk"


def of(memory: Memory, scope: Scope) -> MemoryScope:
    """Return the verbs of a scope."""
    return memory.scope(scope.user, agent=scope.agent, channel=scope.channel, tenant=scope.tenant)


def after_planning(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Do something between the plan of the next replay and what it writes."""
    planned = replaying._planned

    def meanwhile(*arguments: object) -> object:
        plan = planned(*arguments)  # type: ignore[arg-type]  # those of the real one
        monkeypatch.setattr(replaying, "_planned", planned)
        act()
        return plan

    monkeypatch.setattr(replaying, "_planned", meanwhile)


def test_a_replay_corrects_misread_facts_and_is_listed_like_an_undo(harness: Harness, memory: Memory) -> None:
    scope = somebody()
    install(harness.parts, mishearing(Oslo="Osaka"))
    tell(harness, scope, ["I live in Oslo", "I like tea", "I live in Oslo"])
    install(harness.parts, version=4)

    seen = of(memory, scope).replay("everyday@4", preview=True)
    assert texts(harness, scope) == [TEA, "The user lives in Osaka"]
    done = of(memory, scope).replay("everyday@4", by="Anna", reason="misheard")

    assert texts(harness, scope) == [TEA, OSLO]
    for one in (seen, done):
        assert ([b.text for b in one.withdrawn], [b.text for b in one.restored]) == (
            ["The user lives in Osaka"],
            [OSLO],
        )
    assert (done.what, done.by, done.reason, done.scopes) == ("the replay of everyday@4", "Anna", "misheard", (scope,))
    assert (seen.id, len(done.runs), done.state) == (None, 1, "done")
    assert memory.undos() == [done]
    assert harness.rows(
        "SELECT count(*), count(DISTINCT run) FROM deltas WHERE scope = %s AND run = %s", scope.id, done.runs[0]
    ) == [(3, 1)]
    assert memory.why(fact_of(harness, scope, "Oslo")).steps[0].rule.startswith("everyday/lives-in@")


def test_replays_are_undone_and_repeated_in_reverse_order(harness: Harness, memory: Memory, scope: Scope) -> None:
    states = []
    install(harness.parts, deaf("tea"))
    tell(harness, scope, ["I live in Oslo", "I like tea", "I like milk"])
    states.append(believed(harness, scope))
    done = []
    for hear in (deaf("milk"), deaf("Oslo")):
        install(harness.parts, hear)
        done.append(of(memory, scope).replay("everyday"))
        states.append(believed(harness, scope))
    first, second = done
    assert texts(harness, scope) == [MILK, TEA]

    with pytest.raises(Incorrect, match="the replay of everyday@1 came later") as refused:
        memory.undo(first.id)
    assert refused.value.hint == f"undo that first: `slowwave undo {second.id}`"
    back = memory.undo(second.runs[0])
    assert believed(harness, scope) == states[1]
    again = memory.undo(back.id)
    assert believed(harness, scope) == states[2]
    memory.undo(again.id)
    memory.undo(first.id)

    assert believed(harness, scope) == states[0]
    install(harness.parts, deaf("milk"))
    of(memory, scope).replay("everyday")
    assert believed(harness, scope) == states[1], "what a replay left out may be learned by another"
    sound(harness, scope)


def test_a_replay_keeps_undos_corrections_and_reviews(harness: Harness, memory: Memory, scope: Scope) -> None:
    install(harness.parts, deaf("chess"))
    said = ["I live in Oslo", "I like tea", "I love jazz and I hate techno", "No, I meant blues", "I like chess"]
    tell(harness, scope, said)
    (review,) = of(memory, scope).review()
    of(memory, scope).decide(review.number, "reject", by="Ann")
    of(memory, scope).correct(fact_of(harness, scope, "Oslo"), "Bergen")
    of(memory, scope).correct(fact_of(harness, scope, "tea"))
    before = texts(harness, scope)
    install(harness.parts)

    done = of(memory, scope).replay("everyday")

    assert [one.text for one in done.restored] == ["The user likes chess"]
    assert texts(harness, scope) == sorted([*before, "The user likes chess"])
    assert reviews(harness, scope) == []
    sound(harness, scope)


def test_a_replay_does_not_relearn_a_forgotten_fact(harness: Harness, memory: Memory, scope: Scope) -> None:
    deaf_once = deaf("milk")
    install(
        harness.parts, lambda claim: None if claim.source.position == 3 and claim.object == "tea" else deaf_once(claim)
    )
    tell(harness, scope, ["I like tea", "I live in Oslo", "I really like tea", "I like milk"])
    seen = memory.forget(fact=fact_of(harness, scope, "tea"), preview=True)
    memory.forget(fact=fact_of(harness, scope, "tea"), confirm=seen.token, rewrite=False)
    harness.rows("UPDATE episode_keys SET erased = false WHERE scope = %s AND position = 3", scope.id)
    install(harness.parts)

    of(memory, scope).replay("everyday")

    assert texts(harness, scope) == [MILK, OSLO]
    assert harness.rows(
        "SELECT count(*) FROM delta_payloads p JOIN deltas d ON d.id = p.delta "
        "WHERE d.scope = %s AND p.payload::text LIKE '%%tea%%'",
        scope.id,
    ) == [(0,)]
    sound(harness, scope)


def test_a_replay_keeps_facts_of_deleted_episodes(harness: Harness, memory: Memory, scope: Scope) -> None:
    tell(harness, scope, ["I like tea", "I like milk", "I live in Oslo"])
    harness.rows("DELETE FROM episodes WHERE scope = %s AND position = 1", scope.id)
    harness.rows("UPDATE episode_keys SET erased = true WHERE scope = %s AND position = 2", scope.id)
    install(harness.parts, deaf("tea", "milk", "Oslo"))

    of(memory, scope).replay("everyday")

    assert texts(harness, scope) == [MILK, TEA]


def test_a_replay_does_not_learn_words_erased_meanwhile(
    harness: Harness, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = somebody()
    install(harness.parts, deaf("tea"))
    tell(harness, scope, ["I like tea", "I live in Oslo"])
    install(harness.parts)
    erased = "UPDATE episode_keys SET erased = true WHERE scope = %s AND position = 1"
    after_planning(monkeypatch, lambda: harness.rows(erased, scope.id))

    assert of(memory, scope).replay("everyday").runs == ()
    assert texts(harness, scope) == [OSLO]


def test_an_overtaken_replay_writes_nothing(harness: Harness, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    scope, twin = somebody(), list[Undone]()
    install(harness.parts, deaf("tea"))
    tell(harness, scope, ["I like tea", "I live in Oslo"])
    install(harness.parts)
    after_planning(monkeypatch, lambda: twin.append(of(memory, scope).replay("everyday")))

    frozen = of(memory, scope).replay("everyday")

    assert (len(twin[0].runs), frozen.runs) == (1, ())
    assert texts(harness, scope) == [TEA, OSLO]
    assert memory.undos() == twin
    sound(harness, scope)


def test_a_replay_respects_episodes_pushed_meanwhile(
    harness: Harness, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = somebody()
    said = episodes(["I like tea", "I live in Oslo", "Forget that I like tea"])
    install(harness.parts, deaf("tea"))
    tell_all(harness, scope, said[:2])
    install(harness.parts)
    after_planning(monkeypatch, lambda: tell_all(harness, scope, said[2:]))

    of(memory, scope).replay("everyday")

    assert texts(harness, scope) == [OSLO]
    sound(harness, scope)


def test_a_replay_waits_for_the_worker_of_its_scope(harness: Harness, memory: Memory, scope: Scope) -> None:
    tell(harness, scope, ["I like tea"])
    harness.told(scope, 1, start=2)
    run = harness.claimed(scope=scope)
    install(harness.parts, deaf("tea"))

    with pytest.raises(Unavailable, match=r"cannot be replayed in .* yet: a worker holds this scope now"):
        of(memory, scope).replay("everyday", timeout=0)

    harness.settle(run)
    assert len(of(memory, scope).replay("everyday", timeout=0).runs) == 1


def test_a_replay_changes_no_other_scope_or_tenant(harness: Harness, memory: Memory) -> None:
    mine = somebody()
    others = [replace(mine, channel="work"), replace(mine, tenant="theirs")]
    for scope in (mine, *others):
        tell_all(harness, scope, episodes(["I live in Oslo", "I like tea"]))
    before = [(believed(harness, scope), runs(harness, scope)) for scope in others]
    install(harness.parts, deaf("tea"))

    done = of(memory, mine).replay("everyday")

    assert texts(harness, mine) == [OSLO]
    assert [(believed(harness, scope), runs(harness, scope)) for scope in others] == before
    assert memory.undos(tenant="theirs") == []
    with pytest.raises(Incorrect, match="has read nothing in"):
        memory.scope("nobody", tenant="theirs").replay("everyday", preview=True)
    theirs = of(memory, others[1]).replay("everyday")
    assert (theirs.scopes, [one.scope for one in theirs.withdrawn]) == ((others[1],), [others[1]])
    assert memory.undos() == [done]
    sound(harness, mine, *others)


def runs(harness: Harness, scope: Scope) -> list[tuple[object, ...]]:
    """Return the runs and the pending work of a scope."""
    return harness.rows(
        "SELECT run, job FROM runs WHERE scope = %s UNION SELECT intent, job FROM intents WHERE scope = %s ORDER BY 1",
        scope.id, scope.id,
    )  # fmt: skip


def test_a_replay_skips_unread_episodes(harness: Harness, memory: Memory, scope: Scope) -> None:
    tell(harness, scope, ["I like tea"])
    harness.parts.push(scope, [Episode(content="I like milk", key="new", session="s1", occurred_at=NOON)])

    assert of(memory, scope).replay("everyday").runs == ()
    assert texts(harness, scope) == [TEA]
