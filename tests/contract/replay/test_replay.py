"""A replay leaves the beliefs that the pack's present rules would have made from the start."""

import random

import pytest

from slowwave.domain.scope import Scope
from slowwave.domain.undo import Undone
from slowwave.memory import Memory
from tests.contract.harness import Harness, somebody
from tests.contract.late_arrivals.comparing import believed, reviews, same, sound
from tests.contract.late_arrivals.test_late_episodes import STORIES, retry
from tests.contract.late_arrivals.test_late_episodes import tell as tell_buried
from tests.contract.late_arrivals.test_late_news import STORIES as NEWS
from tests.contract.news.harness import episodes, life
from tests.contract.replay.packs import everything, install, moody
from tests.contract.undo.undoing import tell, tell_all, wrote

EVERY = {**STORIES, **NEWS}
LIVES = 6


def replayed(memory: Memory, scope: Scope, *, pack: str = "everyday") -> Undone:
    """Replay a pack in a scope."""
    return memory.scope(scope.user, agent=scope.agent).replay(pack)


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
    for first, then in [(everything, moody(0)), (moody(0), everything), (moody(1), everything)]:
        scope, always = somebody(), somebody()
        install(parts, first)
        tell(harness, scope, said)
        before = believed(harness, scope), reviews(harness, scope)
        install(parts, then)
        tell(harness, always, said)

        done = replayed(memory, scope)

        same(harness, scope, always)
        if done.runs:
            memory.undo(done.runs[0])
            assert (believed(harness, scope), reviews(harness, scope)) == before
            sound(harness, scope)


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

        changed += bool(replayed(Memory(parts), scope).runs)

        assert (seed, held(harness, scope)) == (seed, held(harness, always))
        for one in (scope, always):
            tell_all(harness, one, told[-2:])
        assert (seed, held(harness, scope)) == (seed, held(harness, always)), "what is told later"
        sound(harness, always, scope)
    assert changed > LIVES / 2


def test_a_replay_by_the_same_rules_writes_nothing(harness: Harness, memory: Memory) -> None:
    for seed in range(LIVES):
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
            tell_buried(harness, scope, said, buried=late)
            mine, before = memory.scope(scope.user, agent=scope.agent), believed(harness, scope)
            assert mine.replay("everyday").runs == (), "a buried episode is not read"
            assert believed(harness, scope) == before
            retry(harness)
            before = believed(harness, scope)

            assert mine.replay("everyday").runs == ()
            assert believed(harness, scope) == before
