"""A replay leaves the beliefs that the present rules would have made from the start, and every other as it is."""

import random
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
from tests.contract.late_arrivals.comparing import alike, believed, reviews, sound
from tests.contract.late_arrivals.test_late_episodes import STORIES, retry
from tests.contract.late_arrivals.test_late_episodes import episodes as a_minute_apart
from tests.contract.late_arrivals.test_late_episodes import tell as tell_buried
from tests.contract.news.harness import episodes, life
from tests.contract.replay.packs import Hearing, deaf, everything, install, mishearing, moody
from tests.contract.undo.test_undo import EVERY
from tests.contract.undo.undoing import fact_of, tell, tell_all, texts, wrote

LIVES = 6


def held(harness: Harness, scope: Scope) -> list[tuple[object, ...]]:
    """Return the beliefs and their start times, without the number of their sources."""
    found: list[tuple[object, ...]] = []
    for subject, predicate, object_, valid, _, form, text, *_ in believed(harness, scope):
        said = (subject, predicate, object_, form, text)
        if found and found[-1][0] == said and found[-1][2] == valid.lower:
            found[-1] = (said, found[-1][1], valid.upper)
        else:
            found.append((said, valid.lower, valid.upper))
    return found


def written(harness: Harness) -> list[tuple[object, ...]]:
    """Return the numbers of deltas, reviews and undos."""
    tables = ("deltas", "facts", "dead_letters", "undos", "undone", "runs", "audit_log")
    return [(table, harness.value(f"SELECT count(*) FROM {table}")) for table in tables]


@pytest.mark.parametrize("story", EVERY)
def test_a_replay_leaves_the_beliefs_of_a_first_reading_by_the_new_rules(harness: Harness, story: str) -> None:
    said, parts, memory = EVERY[story], harness.parts, Memory(harness.parts)
    odd, always, done = moody(0), dict[Hearing, Scope](), []
    for first, then in [(everything, odd), (odd, everything), (moody(1), everything)]:
        scope = somebody()
        install(parts, first)
        tell(harness, scope, said)
        before = believed(harness, scope), reviews(harness, scope)
        install(parts, then)
        if then not in always:
            always[then] = somebody()
            harness.learn(always[then], a_minute_apart(said))

        done.append((scope, before, of(memory, scope).replay("everyday").runs))

        alike(harness, scope, always[then])
    sound(harness, *always.values(), *(scope for scope, *_ in done))

    for scope, before, runs in done:
        if runs:
            memory.undo(runs[0])
            assert (believed(harness, scope), reviews(harness, scope)) == before
    sound(harness, *(scope for scope, *_ in done))


@pytest.mark.accept
@pytest.mark.parametrize("late", [False, True])
def test_replays_of_random_lives_equal_a_first_reading_by_the_new_rules(harness: Harness, late: bool) -> None:
    parts, changed = harness.parts, 0
    for seed in range(LIVES):
        dice, scope, always = random.Random(seed), somebody(), somebody()
        said = life(seed, length=5)
        told = episodes([*said, *(dice.choice(said) for _ in range(3))], dice=dice if late else None)
        install(parts, moody(seed))
        tell_all(harness, scope, told[:-2])
        install(parts)
        tell_all(harness, always, told[:-2])

        changed += bool(of(Memory(parts), scope).replay("everyday").runs)

        assert (seed, held(harness, scope)) == (seed, held(harness, always))
        for one in (scope, always):
            tell_all(harness, one, told[-2:])
        assert (seed, held(harness, scope)) == (seed, held(harness, always)), "what is told later"
        sound(harness, always, scope)
    assert changed > LIVES / 2


def test_a_replay_by_the_same_rules_writes_nothing(harness: Harness, memory: Memory) -> None:
    for seed in range(4):
        dice, scope = random.Random(seed), somebody()
        mine = memory.scope(scope.user, agent=scope.agent)
        runs = tell_all(harness, scope, episodes(life(seed, length=6), dice=dice))
        memory.undo(dice.choice([run for run in runs[:4] if wrote(harness, run)]))
        fact = dice.choice(mine.facts())
        mine.correct(fact.id, "Bergen" if seed % 2 else None)
        harness.drain()
        before = written(harness), believed(harness, scope)

        done = mine.replay("everyday")

        assert (seed, done.runs, done.withdrawn, done.restored) == (seed, (), (), ())
        assert (written(harness), believed(harness, scope)) == before


def test_a_replay_after_a_retried_dead_letter_writes_nothing(harness: Harness, memory: Memory) -> None:
    for said in STORIES.values():
        for late in range(1, len(said) + 1):
            scope = somebody()
            tell_buried(harness, scope, said, buried=late, at_once=True)
            mine, before = memory.scope(scope.user, agent=scope.agent), believed(harness, scope)
            assert mine.replay("everyday").runs == (), "a buried episode is not read"
            assert believed(harness, scope) == before
            retry(harness)
            before = believed(harness, scope)

            assert mine.replay("everyday").runs == ()
            assert believed(harness, scope) == before


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
    said = a_minute_apart(["I like tea", "I live in Oslo", "Forget that I like tea"])
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
        tell_all(harness, scope, a_minute_apart(["I live in Oslo", "I like tea"]))
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
