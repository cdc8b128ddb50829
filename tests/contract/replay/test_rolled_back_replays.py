"""A roll-back takes back what a version of a pack has read as a canary, in its runs and in replays."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.memory import Memory
from slowwave.store import canaries as stored
from tests.contract.harness import PACK, Harness, somebody
from tests.contract.late_arrivals.comparing import alike, believed, digested, sound
from tests.contract.late_arrivals.test_late_episodes import STORIES, episodes
from tests.contract.replay.packs import VERSIONS, Hearing, deaf, declare, install, mishearing, moody
from tests.contract.replay.test_canaries import SAID
from tests.contract.replay.test_replay import of, written
from tests.contract.undo.undoing import tell, tell_all, texts

OSAKA = "The user lives in Osaka"
OSLO = "The user lives in Oslo"
TEA = "The user likes tea"
Replay = Callable[[Memory, Scope, int], object]


def promote(memory: Memory, _scope: Scope, _version: int) -> None:
    """Promote the canary with a replay."""
    memory.canaries.promote(PACK, replay=True)


def replay_all(memory: Memory, _scope: Scope, version: int) -> None:
    """Replay the scopes of the canary."""
    memory.replay(f"{PACK}@{version}")


def replay_one(memory: Memory, scope: Scope, _version: int) -> None:
    """Replay one scope, in which the canary reads."""
    of(memory, scope).replay(PACK)


@pytest.fixture
def memory(harness: Harness) -> Iterator[Memory]:
    """The memories of the harness, whose canary ends with the test."""
    install(harness.parts)
    yield Memory(harness.parts)
    declare(harness.parts)


def equal(harness: Harness, scope: Scope, twin: Scope) -> None:
    """Assert that two scopes have the same beliefs and the same digest of them."""
    alike(harness, scope, twin)
    ours, theirs = (digested(harness.parts, one, without=4, past=False) for one in (scope, twin))
    assert ours == theirs
    assert ours


@pytest.mark.parametrize("replay", [promote, replay_all, replay_one])
@pytest.mark.parametrize("story", ["SAID", *STORIES])
def test_a_roll_back_after_a_replay_leaves_the_digest_of_a_twin_that_never_had_the_canary(
    harness: Harness, memory: Memory, story: str, replay: Replay
) -> None:
    said, scopes, twin = STORIES.get(story, SAID), list[Scope](), somebody()
    harness.learn(twin, episodes(said))
    for hear in (moody(0), mishearing(Oslo="Osaka", tea="sea")):
        new, scope, third = next(VERSIONS), somebody(), max(1, len(said) // 3)
        tell_all(harness, scope, episodes(said)[:third])
        declare(harness.parts, hear, version=new)
        tell_all(harness, scope, episodes(said)[third : 2 * third])
        replay(memory, scope, new)
        tell_all(harness, scope, episodes(said)[2 * third :])

        done = memory.canaries.roll_back(PACK, by="Ann", reason="it is deaf")

        harness.drain()
        assert done.replays["default"].skipped == ()
        equal(harness, scope, twin)
        rows = written(harness)
        again = memory.canaries.roll_back(PACK, by="Ben", reason="again")
        assert (again.replays["default"].runs, written(harness)) == ((), rows)
        assert not memory.canaries.status(PACK).difference.changes_beliefs
        scopes.append(scope)
    sound(harness, twin, *scopes)


@pytest.mark.parametrize("replay", [promote, replay_all, replay_one])
def test_the_status_shows_what_a_replay_by_the_canary_changed(
    harness: Harness, memory: Memory, scope: Scope, replay: Replay
) -> None:
    new = next(VERSIONS)
    tell(harness, scope, ["I live in Oslo"])
    declare(harness.parts, mishearing(Oslo="Osaka"), version=new)
    replay(memory, scope, new)
    assert texts(harness, scope) == [OSAKA]

    found, rows = memory.canaries.status(PACK), written(harness)

    assert (found.read, found.runs, found.replayed) == (0, 0, 1)
    assert [one.text for one in found.difference.withdrawn] == [OSAKA]
    assert [one.text for one in found.difference.restored] == [OSLO]
    assert written(harness) == rows


def test_a_roll_back_after_a_replay_keeps_what_earlier_versions_have_read(
    harness: Harness, memory: Memory, scope: Scope
) -> None:
    new = next(VERSIONS)
    install(harness.parts, mishearing(Oslo="Bergen"))
    tell(harness, scope, ["I live in Oslo"])
    install(harness.parts)
    for heard in ("Olso", "Osaka"):  # the second replay replaces the claims of the first one
        declare(harness.parts, mishearing(Oslo=heard), version=new)
        replay_one(memory, scope, new)
    tell_all(harness, scope, episodes(["I live in Oslo", "I like tea"])[1:])
    assert texts(harness, scope) == [TEA, OSAKA]

    memory.canaries.roll_back(PACK)

    assert texts(harness, scope) == [TEA, "The user lives in Bergen"], "the present version would say Oslo"


def test_one_undo_takes_back_a_roll_back_with_its_replays_and_another_roll_back_repeats_it(
    harness: Harness, memory: Memory, scope: Scope
) -> None:
    new, twin = next(VERSIONS), somebody()
    told = episodes(["I live in Oslo", "I like tea"])
    for one in (scope, twin):
        tell_all(harness, one, told[:1])
    tell_all(harness, twin, told[1:])
    declare(harness.parts, mishearing(Oslo="Osaka", tea="sea"), version=new)
    tell_all(harness, scope, told[1:])
    replay_one(memory, scope, new)
    before = believed(harness, scope)
    done = memory.canaries.roll_back(PACK)
    equal(harness, scope, twin)

    taken = done.replays["default"].id
    assert taken
    memory.undo(taken)
    assert believed(harness, scope) == before
    memory.canaries.roll_back(PACK)
    equal(harness, scope, twin)
    rows = written(harness)
    memory.canaries.roll_back(PACK)
    assert written(harness) == rows
    sound(harness, scope)


def test_a_roll_back_leaves_a_scope_that_the_installed_version_has_replayed_since(
    harness: Harness, memory: Memory, scope: Scope
) -> None:
    new, told = next(VERSIONS), episodes(["I live in Oslo", "I like tea", "I like milk"])
    tell_all(harness, scope, told[:1])
    declare(harness.parts, mishearing(Oslo="Osaka", tea="sea", milk="silk"), version=new)
    tell_all(harness, scope, told[1:2])
    replay_one(memory, scope, new)
    declare(harness.parts)
    memory.replay(PACK)
    assert texts(harness, scope) == [TEA, OSLO]
    rows = written(harness)

    done = memory.canaries.roll_back(PACK)

    assert (done.replays["default"].skipped, written(harness)) == ((), rows)


def test_a_named_earlier_version_is_shown_as_undecided_and_rolled_back_alone(
    harness: Harness, memory: Memory, scope: Scope
) -> None:
    second, third = next(VERSIONS), next(VERSIONS)
    told = episodes(["I live in Oslo", "I like tea", "I like milk"])
    replayed, twin, without = somebody(), somebody(), somebody()
    for one in (replayed, twin, without):
        tell_all(harness, one, told[:1])
    tell_all(harness, twin, told[1:])
    declare(harness.parts, mishearing(Oslo="Osaka"), version=second)
    tell_all(harness, scope, told[:1])
    replay_one(memory, replayed, second)
    declare(harness.parts, mishearing(tea="sea"), version=third)
    for one in (scope, replayed, without):
        tell_all(harness, one, told[1:])

    found = memory.canaries.status(PACK)
    assert found.canary.version == third
    assert second in [one.version for one in found.undecided]
    earlier = memory.canaries.status(f"{PACK}@{second}")
    assert (earlier.canary.version, earlier.read, earlier.replayed) == (second, 1, 1)
    done = memory.canaries.roll_back(f"{PACK}@{second}")

    assert (done.canary.version, done.replays["default"].skipped) == (second, ())
    assert not {second, third} & {one.version for one in done.undecided}, "one is decided, and one reads"
    for one in (scope, replayed):
        equal(harness, one, without)
    assert memory.canaries.status(PACK).canary.state == "running", "the other version still reads"
    assert memory.canaries.roll_back(PACK).canary.version == third
    for one in (scope, replayed, without):
        equal(harness, one, twin)


def test_a_roll_back_names_the_scopes_that_another_canary_has_replayed_since(
    harness: Harness, memory: Memory, scope: Scope
) -> None:
    second, third, told = next(VERSIONS), next(VERSIONS), episodes(["I live in Oslo", "I like tea"])
    twin = somebody()
    tell_all(harness, twin, told)
    declare(harness.parts, mishearing(Oslo="Osaka"), version=second)
    tell_all(harness, scope, told[:1])
    declare(harness.parts, mishearing(Oslo="Olso"), version=third)
    tell_all(harness, scope, told[1:])
    replay_one(memory, scope, third)
    before = believed(harness, scope)

    done = memory.canaries.roll_back(f"{PACK}@{second}")

    (skipped,) = done.replays["default"].skipped
    assert skipped.scope == scope
    assert f"{PACK}@{third} has replayed" in skipped.problem
    assert f"roll {PACK}@{third} back first" in skipped.hint
    assert believed(harness, scope) == before
    memory.canaries.roll_back(PACK)
    assert OSAKA in texts(harness, scope), "what the canary before it has read"
    assert memory.canaries.roll_back(f"{PACK}@{second}").replays["default"].skipped == ()
    equal(harness, scope, twin)


def test_a_version_that_was_never_a_canary_is_refused_with_the_known_ones(harness: Harness, memory: Memory) -> None:
    new = next(VERSIONS)
    declare(harness.parts, deaf("tea"), version=new)

    for verb in (memory.canaries.status, memory.canaries.roll_back, memory.canaries.promote):
        with pytest.raises(Incorrect, match=f"{PACK}@2 was never a canary") as refused:
            verb(f"{PACK}@2")
        assert f"{PACK}@{new}" in str(refused.value.hint)


def test_a_canary_that_was_rolled_back_replays_nothing_more(harness: Harness, memory: Memory, scope: Scope) -> None:
    """A replay that began before the roll-back reaches its scopes after it."""
    new, hear = next(VERSIONS), mishearing(Oslo="Osaka")
    tell(harness, scope, ["I live in Oslo"])
    declare(harness.parts, hear, version=new)
    during(harness, memory, hear, lambda: memory.canaries.roll_back(PACK))

    done = memory.replay(f"{PACK}@{new}")

    assert f"{PACK}@{new} does not read in" in next(one.problem for one in done.skipped if one.scope == scope)
    assert texts(harness, scope) == [OSLO]


def test_a_promotion_does_not_bring_back_a_canary_that_is_rolled_back_meanwhile(
    harness: Harness, memory: Memory, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    new, decide = next(VERSIONS), stored.decide
    tell(harness, scope, ["I live in Oslo"])
    declare(harness.parts, mishearing(Oslo="Osaka"), version=new)

    def decided_after(*arguments: Any, **named: Any) -> None:
        monkeypatch.setattr(stored, "decide", decide)
        memory.canaries.roll_back(PACK, by="Ann")
        decide(*arguments, **named)

    monkeypatch.setattr(stored, "decide", decided_after)
    with pytest.raises(Incorrect, match=f"{PACK}@{new} cannot be promoted: it is rolled back"):
        memory.canaries.promote(PACK, replay=True, by="Ben")

    found = memory.canaries.status(PACK).canary
    assert (found.state, found.by) == ("rolled back", "Ann")
    assert texts(harness, scope) == [OSLO]


def test_many_roll_backs_and_promotions_at_once_leave_the_beliefs_of_a_roll_back(
    harness: Harness, memory: Memory
) -> None:
    new, scopes, twin, told = next(VERSIONS), [somebody() for _ in range(3)], somebody(), episodes(SAID)
    harness.learn(twin, told)
    for one in scopes:
        tell_all(harness, one, told[:2])
    declare(harness.parts, mishearing(Oslo="Osaka", milk="silk"), version=new)
    for one in scopes:
        tell_all(harness, one, told[2:])

    def act(number: int) -> str:
        try:
            canaries = memory.canaries
            done = canaries.roll_back(PACK) if number % 2 else canaries.promote(PACK, replay=True)
            return done.verdict
        except Incorrect as error:
            return error.message

    with ThreadPoolExecutor(4) as pool:
        ends = [*pool.map(act, range(8))]

    assert set(ends) <= {"promoted", "rolled back", f"{PACK}@{new} cannot be promoted: it is rolled back"}
    done = memory.canaries.roll_back(PACK)
    harness.drain()
    assert done.replays["default"].skipped == ()
    for one in scopes:
        equal(harness, one, twin)
    sound(harness, twin, *scopes)


def during(harness: Harness, memory: Memory, hear: Hearing, act: Callable[[], object]) -> None:
    """Let the canary *act* once when it reads."""
    acts = [act]

    def acting(claim: object) -> object:
        while acts:
            acts.pop()()
        return hear(claim)  # type: ignore[arg-type]

    tried = harness.parts.canaries[PACK].pack
    object.__setattr__(tried.reader, "hear", acting)


def test_the_hint_of_a_scope_that_cannot_be_rolled_back_leads_out(harness: Harness, memory: Memory) -> None:
    scope, told = somebody(), episodes(["I live in Oslo", "I like tea", "I like milk"])
    second, third = next(VERSIONS), next(VERSIONS)
    tell_all(harness, scope, told[:1])
    declare(harness.parts, mishearing(Oslo="Osaka"), version=second)
    of(memory, scope).replay(PACK)
    declare(harness.parts, mishearing(tea="sea"), version=third)
    tell_all(harness, scope, told[1:])
    memory.canaries.roll_back(f"{PACK}@{third}")

    (skipped,) = memory.canaries.roll_back(f"{PACK}@{second}").replays["default"].skipped

    assert (
        skipped.hint == f"let the installed version read the scope again: `slowwave replay {PACK} --user NAME --apply`"
    )
    declare(harness.parts)
    of(memory, scope).replay(PACK)
    assert OSAKA not in texts(harness, scope)
    assert memory.canaries.roll_back(f"{PACK}@{second}").replays["default"].skipped == ()
