"""A canary reads in its share of the scopes; it is compared, promoted, or rolled back as if it had never read."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.memory import Memory
from tests.contract.harness import PACK, Harness, somebody
from tests.contract.late_arrivals.comparing import alike, believed, digested, sound
from tests.contract.late_arrivals.test_late_episodes import STORIES, episodes
from tests.contract.replay.packs import VERSIONS, deaf, declare, everything, install, mishearing, moody
from tests.contract.replay.test_replay import MILK, OSLO, TEA, of, written
from tests.contract.undo.undoing import tell, tell_all, texts

SAID = ["I live in Oslo", "I like tea", "I like milk", "I just moved to Bergen", "I like chess"]


@pytest.fixture
def memory(harness: Harness) -> Iterator[Memory]:
    """The memories of the harness, whose canary ends with the test."""
    install(harness.parts)
    yield Memory(harness.parts)
    declare(harness.parts)


def versions(harness: Harness, scope: Scope) -> tuple[int, ...]:
    """Return the versions of the pack that read in a scope, in order."""
    found = harness.rows("SELECT version FROM runs WHERE scope = %s AND pack = %s ORDER BY run", scope.id, PACK)
    return tuple(version for (version,) in found)


def test_a_canary_reads_in_its_share_of_the_scopes_and_runs_name_its_version(harness: Harness, memory: Memory) -> None:
    new, told = next(VERSIONS), episodes(["I like tea", "I like milk", "I live in Oslo"])
    scopes = [Scope("default", f"in-a-share-{number}", "concierge") for number in range(20)]
    for episode, share in zip(told, (0.25, 0.25, 0.75), strict=True):
        declare(harness.parts, deaf("Oslo", "tea"), share=share, version=new)
        for scope in scopes:
            tell_all(harness, scope, [episode], drained=False)
    read = {scope: tuple(version == new for version in versions(harness, scope)) for scope in scopes}

    assert set(read.values()) == {(False, False, False), (False, False, True), (True, True, True)}
    assert sum(one[0] for one in read.values()) == 7, "the hash of these scopes"
    assert sum(one[2] for one in read.values()) == 16, "a larger share keeps the scopes that it had"
    expected: dict[tuple[bool, ...], list[str]]
    expected = {(False,) * 3: [MILK, TEA, OSLO], (False, False, True): [MILK, TEA], (True,) * 3: [MILK]}
    assert all(texts(harness, scope) == expected[one] for scope, one in read.items())
    found = memory.canaries.status(PACK)
    assert (found.shared, found.read, found.canary.share, found.canary.state) == (16, 16, 0.75, "running")
    assert found.runs == sum(map(sum, read.values()))


def test_the_status_compares_a_canary_with_the_installed_version_and_writes_nothing(
    harness: Harness, memory: Memory
) -> None:
    new, scope, other = next(VERSIONS), somebody(), replace(somebody(), tenant="theirs")
    tell(harness, scope, ["I like tea"])
    declare(harness.parts, mishearing(Oslo="Osaka", milk="silk"), version=new)
    tell_all(harness, scope, episodes(["I like tea", "I live in Oslo", "I like milk"])[1:])
    tell(harness, other, ["I live in Oslo"])
    before = written(harness)

    found = memory.canaries.status(PACK)

    assert written(harness) == before
    assert sorted(one.text for one in found.difference.withdrawn) == ["The user likes silk", "The user lives in Osaka"]
    assert sorted(one.text for one in found.difference.restored) == [MILK, OSLO]
    assert (found.read, found.runs, found.canary.version) == (1, 2, new)
    assert {one.scope for one in found.difference.restored} == {scope}
    theirs = memory.canaries.status(PACK, tenant="theirs")
    assert {one.scope for one in (*theirs.difference.restored, *theirs.difference.withdrawn)} == {other}


@pytest.mark.parametrize("story", ["SAID", *STORIES])
def test_a_rolled_back_canary_leaves_the_digest_of_a_twin_that_never_had_it(
    harness: Harness, memory: Memory, story: str
) -> None:
    """Only the rows of past versions differ: no delta is edited, so they say what was believed while the canary read,
    and a version that the twin believed only in the meantime is never written."""
    said, parts, twin = STORIES.get(story, SAID), harness.parts, somebody()
    harness.learn(twin, episodes(said))
    scopes = []
    for hear in (moody(0), moody(1), deaf("Oslo", "tea")):
        new, scope, half = next(VERSIONS), somebody(), len(said) // 2
        tell_all(harness, scope, episodes(said)[:half])
        declare(parts, hear, version=new)
        tell_all(harness, scope, episodes(said)[half:])

        done = memory.canaries.roll_back(PACK, by="Ann", reason="it is deaf")

        harness.drain()
        assert (done.verdict, done.replays["default"].skipped) == ("rolled back", ())
        alike(harness, scope, twin)
        ours, theirs = (digested(parts, one, without=4, past=False) for one in (scope, twin))
        assert ours == theirs
        assert ours
        rows = written(harness)
        again = memory.canaries.roll_back(PACK, by="Ben", reason="again")
        assert (again.replays["default"].runs, written(harness)) == ((), rows)
        scopes.append(scope)
    sound(harness, twin, *scopes)


def test_a_rolled_back_canary_reads_nowhere_even_if_it_is_still_declared(harness: Harness, memory: Memory) -> None:
    new, scope, other = next(VERSIONS), somebody(), replace(somebody(), tenant="theirs")
    declare(harness.parts, deaf("tea"), version=new)
    for one in (scope, other):
        tell(harness, one, ["I like tea"])
    assert (texts(harness, scope), versions(harness, scope)) == ([], (new,))

    done = memory.canaries.roll_back(PACK, by="Ann", reason="it is deaf")
    assert [texts(harness, one) for one in (scope, other)] == [[TEA], [TEA]], "in all tenants"
    assert {one.scope.tenant for one in done.replays["theirs"].restored} == {"theirs"}
    declare(harness.parts, deaf("milk"), version=new)
    tell_all(harness, scope, episodes(["I like tea", "I like milk"])[1:])

    assert texts(harness, scope) == [MILK, TEA]
    found = memory.canaries.status(PACK).canary
    assert (found.state, found.by, found.reason) == ("rolled back", "Ann", "it is deaf")
    with pytest.raises(Incorrect, match=f"everyday@{new} cannot be promoted: it is rolled back"):
        memory.canaries.promote(PACK, replay=False, by=None, reason="")
    (order,) = [one for one in memory.undos() if one.id == done.replays["default"].id]
    memory.undo(order.id)
    assert texts(harness, scope) == [MILK], "a roll-back can be undone"


def test_a_roll_back_keeps_what_earlier_versions_have_read(harness: Harness, memory: Memory, scope: Scope) -> None:
    new, untouched = next(VERSIONS), somebody()
    install(harness.parts, mishearing(Oslo="Osaka"))
    for one in (scope, untouched):
        tell(harness, one, ["I live in Oslo"])
    install(harness.parts)
    declare(harness.parts, deaf("tea"), version=new)
    tell_all(harness, scope, episodes(["I live in Oslo", "I like tea"])[1:])

    memory.canaries.roll_back(PACK, by="Ann", reason="")

    assert texts(harness, scope) == [TEA, "The user lives in Osaka"], "the present version would say Oslo"
    assert texts(harness, untouched) == ["The user lives in Osaka"]


def test_a_promoted_canary_reads_everywhere_and_replays_what_others_have_read(harness: Harness, memory: Memory) -> None:
    new, scopes, always, parts = next(VERSIONS), [somebody() for _ in range(3)], somebody(), harness.parts
    for scope in scopes:
        tell(harness, scope, SAID)
    declare(parts, deaf("tea"), share=1e-9, version=new)
    later = episodes([*SAID, "I like rain"])[len(SAID) :]
    tell_all(harness, scopes[0], later)
    assert new not in versions(harness, scopes[0])

    done = memory.canaries.promote(PACK, replay=False, by="Ann", reason="it is better")
    assert (done.replays, TEA in texts(harness, scopes[1])) == ({}, True)
    tell_all(harness, scopes[1], later)
    assert versions(harness, scopes[1])[-1] == new
    tell(harness, always, [*SAID, "I like rain"])
    tell_all(harness, scopes[2], later)

    done = memory.canaries.promote(PACK, replay=True, by="Ann", reason="it is better")
    assert set(done.replays["default"].scopes) >= set(scopes)
    assert [believed(harness, scope) for scope in scopes] == [believed(harness, always)] * 3
    rows = written(harness)
    memory.canaries.promote(PACK, replay=True, by="Ann", reason="again")
    assert written(harness) == rows
    sound(harness, always, *scopes)


def test_a_replay_reads_each_scope_with_the_version_that_reads_there(harness: Harness, memory: Memory) -> None:
    new, parts = next(VERSIONS), harness.parts
    scopes = [Scope("default", f"replayed-{new}-{number}", "concierge") for number in range(8)]
    for scope in scopes:
        tell(harness, scope, SAID[:2])
    declare(parts, deaf("tea"), share=0.5, version=new)
    mine = {
        scope for scope in scopes
        if harness.value("SELECT slowwave_canary(%s, 'everyday')", scope.id) == new
    }  # fmt: skip
    assert 0 < len(mine) < len(scopes)

    seen = memory.replay(PACK, preview=True)
    assert {one.scope for one in seen.skipped} >= mine
    assert all(f"everyday@{new} reads here as a canary" in one.problem for one in seen.skipped)
    assert not mine & set(seen.scopes)
    one = min(mine)
    assert [belief.text for belief in of(memory, one).replay(PACK, preview=True).withdrawn] == [TEA]
    other = min(set(scopes) - mine)
    assert not of(memory, other).replay(PACK, preview=True).changes_beliefs
    with pytest.raises(Incorrect, match=f"everyday@{new} is not installed"):
        of(memory, other).replay(f"{PACK}@{new}", preview=True)
    done = memory.replay(f"{PACK}@{new}")
    assert set(done.scopes) & set(scopes) == mine


def test_a_canary_that_a_worker_has_not_loaded_waits_for_one_that_has(harness: Harness, memory: Memory) -> None:
    new, scope, parts = next(VERSIONS), somebody(), harness.parts
    declare(parts, deaf("tea"), version=new)
    harness.told(scope, 1)
    vars(parts).update(_canaries={})
    vars(parts).pop("jobs", None)

    assert harness.drain()["unavailable"] == 1
    assert texts(harness, scope) == []
    declare(parts, everything, version=new)
    harness.later(60)
    harness.drain()

    assert texts(harness, scope) == ["The user likes food1"]


def test_a_canary_is_known_by_the_name_of_its_pack(harness: Harness, memory: Memory) -> None:
    with pytest.raises(Incorrect, match="no pack 'nothing' is installed") as refused:
        memory.canaries.status("nothing")
    assert "policies/canaries.yaml declares them" in str(refused.value.hint)
    install(harness.parts, version=next(VERSIONS))
    declare(harness.parts, everything, version=1000)
    with pytest.raises(Incorrect, match="everyday@1000 cannot be rolled back: everyday has version"):
        memory.canaries.roll_back(PACK, by=None, reason="")
