"""An episode that arrives after later news leaves the same beliefs as in time."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import permutations
from operator import itemgetter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slowwave.domain.dead_letter import Verdict
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import Memory
from slowwave.store.inbox import stored_episodes
from tests.contract.harness import Harness, somebody
from tests.contract.late_arrivals.comparing import digested, reviews, sound
from tests.contract.news.harness import NOON
from tests.unit.tables import table

ROWS = table(__file__)
STORIES: dict[str, list[str]] = ROWS["stories"]
KINDS: dict[str, list[str]] = ROWS["kinds"]
CORRECTED: list[list[str]] = ROWS["corrected"]


def told(said: Sequence[str], order: Sequence[int]) -> list[Episode]:
    """Return *said* as episodes, one per day, which arrive in this *order* of days."""
    return [
        Episode(
            content=said[day], key=f"k{day}", session=f"s{day}", occurred_at=NOON + timedelta(days=day)
        )
        for day in order
    ]  # fmt: skip


def consolidated(harness: Harness, episodes: Sequence[Episode], *, at_a_time: int = 1) -> Scope:
    """Return a new scope that consolidated *episodes*, in windows of this size."""
    scope = somebody()
    for start in range(0, len(episodes), at_a_time):
        harness.learn(scope, episodes[start : start + at_a_time])
    return scope


def believed(harness: Harness, scope: Scope) -> list[tuple[object, ...]]:
    """Return the beliefs about each day, and the open reviews."""
    days = harness.rows(
        "SELECT DISTINCT subject, predicate, object, text, day FROM facts, generate_series(0, 9) AS day "
        "WHERE scope = %s AND upper_inf(recorded) AND valid @> %s + day * interval '1 day' ORDER BY 1, 2, 3, 4, 5",
        scope.id, NOON,
    )  # fmt: skip
    named = harness.rows(
        "SELECT f.object, item ->> 'object' FROM dead_letters d, jsonb_array_elements_text(d.item -> 'among') AS one "
        "JOIN facts f ON f.fact = one::uuid AND upper_inf(f.recorded) "
        "WHERE d.scope = %s AND d.category = 'conflict' AND d.state = 'open' ORDER BY 1, 2",
        scope.id,
    )
    return [*days, *sorted((reason, object_) for _, reason, object_ in reviews(harness, scope)), *named]


@pytest.mark.parametrize("story", STORIES | KINDS)
def test_an_episode_that_arrives_last_leaves_the_same_beliefs_as_in_time(stated: Harness, story: str) -> None:
    said = (STORIES | KINDS)[story]
    timely = believed(stated, consolidated(stated, told(said, range(len(said)))))

    scopes = []
    for late in range(len(said)):
        others = [day for day in range(len(said)) if day != late]
        scopes.append(consolidated(stated, told(said, [*others, late]), at_a_time=len(others)))
        assert (late, believed(stated, scopes[-1])) == (late, timely)
    sound(stated, *scopes)


@pytest.mark.parametrize("said", CORRECTED, ids=itemgetter(1))
def test_an_elliptic_correction_refers_to_the_turn_before_it_in_any_order_of_arrival(
    stated: Harness, said: Sequence[str]
) -> None:
    talk = [one.model_copy(update={"session": "s"}) for one in told(said, range(len(said)))]
    first, *others = permutations(talk)
    timely = believed(stated, consolidated(stated, first))

    scopes = []
    for arriving in others:
        for size in (1, len(said)):
            scopes.append(consolidated(stated, arriving, at_a_time=size))
            assert ([one.key for one in arriving], size, believed(stated, scopes[-1])) == (
                [one.key for one in arriving], size, timely,
            )  # fmt: skip
    sound(stated, *scopes)


def test_timely_turns_are_not_sorted(stated: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_episodes, "orders", None)

    for said in CORRECTED:
        consolidated(stated, told(said, range(len(said))))

    assert stated.rows("SELECT reason FROM dead_letters WHERE category <> 'conflict'") == []


@st.composite
def mixed(draw: st.DrawFn) -> tuple[list[str], list[int]]:
    """Return two stories, mixed, and an order of arrival."""
    first, second = draw(st.lists(st.sampled_from(sorted(STORIES)), min_size=2, max_size=2, unique=True))
    said = [*STORIES[first]]
    for one in STORIES[second]:
        said.insert(draw(st.integers(0, len(said))), one)
    return said, list(draw(st.permutations(range(len(said)))))


@pytest.mark.accept
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(history=mixed())
def test_any_arrival_order_in_any_windows_leaves_the_same_beliefs(
    stated: Harness, history: tuple[list[str], list[int]]
) -> None:
    said, order = history
    timely = consolidated(stated, told(said, range(len(said))))
    late = [consolidated(stated, told(said, order), at_a_time=size) for size in (1, 3, len(said))]

    assert [believed(stated, scope) for scope in late] == [believed(stated, timely)] * 3
    assert len({repr(digested(stated.parts, scope, without=4)) for scope in late}) == 1
    sound(stated, timely, *late)


@pytest.mark.parametrize("verdict", ["accept", "reject"])
def test_a_decided_review_settles_its_news_for_late_facts(stated: Harness, verdict: Verdict) -> None:
    said = ["I drive a Seat", "I drive a Honda", "I drive a Toyota", "I sold my car"]
    episodes = told(said, [1, 2, 3, 0])
    scope = consolidated(stated, episodes[:3])
    known = Memory(stated.parts).scope(scope.user, agent=scope.agent)
    (review,) = known.review()
    honda = next(fact.id for fact in known.facts() if fact.object == "Honda")
    known.decide(review.number, verdict, by="Ann", replaces=honda if verdict == "accept" else None)

    stated.learn(scope, episodes[3:])

    lasting = {"Seat", "Toyota"} | ({"Honda"} if verdict == "reject" else set())
    assert {fact.object for fact in known.facts() if fact.predicate == "drives"} == lasting
    assert known.review() == []
    sound(stated, scope)
