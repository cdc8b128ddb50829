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

STORIES = {
    "sold": ["I drive a Honda", "I sold the Honda"],
    "left": ["My boss is Karen", "Karen left the company"],
    "a marathon": ["I'm planning to run the Berlin marathon in September", "I ran the Berlin marathon"],
    "a piano": ["I want to buy a piano", "I bought the piano"],
    "a pet": ["I have a cat named Pepper", "I gave Pepper away"],
    "which of two": ["I drive a Honda", "I drive a Toyota", "I sold my car"],
    "which of three": ["I drive a Honda", "I drive a Toyota", "I drive a Seat", "I sold my car"],
    "which of two, told again": ["I drive a Honda", "I drive a Toyota", "I sold my car", "I drive a Honda"],
    "one of two, then the car": ["I drive a Honda", "I drive a Toyota", "I sold the Honda", "I sold my car"],
    "bosses": ["My boss is Karen", "Karen left the company", "My boss is Nora", "I have a new boss", "My boss is Eve"],
    "a moved course": ["My Spanish course is on Tuesdays", "My Spanish course was moved to Friday"],
    "a team": ["My team eats on Fridays", "My team eats on Thursdays from now on"],
    "homes": [
        "I live in Lisbon",
        "I just moved to Oslo",
        "No, I live in Rome, not Oslo",
        "I don't live in Rome any more",
    ],
    "plans": ["I want to buy a boat", "I want to visit Rome", "I finally visited Rome", "I bought a boat"],
    "two garages": ["I rent a garage in Bow Street", "I rent a garage on Mill Lane", "I gave up the garage"],
    "a garage by its street, then the other": [
        "I rent a garage in Bow Street",
        "I rent a garage on Mill Lane",
        "I gave up the garage in Bow Street",
        "I gave up the garage",
    ],
    "two storage units": [
        "I rent a storage unit in Leeds",
        "I keep my boat in a storage unit in York",
        "I gave up the storage unit",
    ],
    "two subscriptions, then one by name": [
        "I have a subscription to the Guardian",
        "I have a subscription to the Times",
        "I cancelled the subscription",
        "I cancelled the subscription to the Times",
    ],
    "a moved appointment": ["My dentist appointment is on 20 April", "My appointment was moved to the 28th"],
    "one of two appointments": [
        "My dentist appointment is on 20 April",
        "My haircut appointment is on 22 April",
        "My appointment was moved to the 28th",
    ],
    "a moved barbecue": ["We're having a barbecue on 12 June", "The barbecue was moved to 19 June"],
    "a wedding": ["We're getting married on 12 June", "The wedding is no longer happening"],
    "a dose": ["I take lisinopril 20 mg", "I weigh 70 kg", "Sorry, I meant 40 mg"],
    "two doses": ["I take lisinopril 20 mg", "I take sertraline 50 mg", "Sorry, I meant 40 mg"],
    "a rent": ["My rent is 900 euros", "No, I meant my rent is 950 euros", "My rent is due on Fridays"],
    "another's bakery": ["My parents own a bakery", "They closed the bakery"],
    "a dearer rent": ["My rent is 900 euros", "I need to pay the rent", "They raised the rent to 950"],
    "two tests": [
        "The flaky test test_rounding is driving me crazy",
        "The slow test test_rounding is driving me mad",
        "I finally finished test_rounding, it was DST",
    ],
}
"""Texts that are told a day apart, by story."""
KINDS = {
    "a browser": ["I use Firefox", "I switched to Brave"],
    "another journey": ["We're going to Portugal in July", "We're going to Scotland instead"],
    "an office": ["My office is on the third floor", "My office moved to the fifth floor"],
}
"""Stories whose news finds its belief by a kind, a place or a verb."""


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

    for late in range(len(said)):
        order = [day for day in range(len(said)) if day != late] + [late]
        scope = consolidated(stated, told(said, order))
        assert (late, believed(stated, scope)) == (late, timely)
        sound(stated, scope)


CORRECTED = [
    ["I drive a Honda", "No, I meant a Seat", "I drive a Toyota"],
    ["I'm allergic to walnuts and kiwi.", "No, I meant cashews.", "I'm allergic to figs."],
    ["My sister's name is Anna", "No, I meant Hanna", "Hanna lives in Porto"],
    ["Deploys go out on Fridays", "Sorry, I meant Tuesdays", "I like tea"],
    ["My brother lives in Leeds", "My sister lives in Porto", "No, I meant Lisbon"],
    ["I like tea", "Forget that", "I like rock"],
]


@pytest.mark.parametrize("said", CORRECTED, ids=itemgetter(1))
def test_an_elliptic_correction_refers_to_the_turn_before_it_in_any_order_of_arrival(
    stated: Harness, said: Sequence[str]
) -> None:
    talk = [one.model_copy(update={"session": "s"}) for one in told(said, range(len(said)))]
    first, *others = permutations(talk)
    timely = believed(stated, consolidated(stated, first))

    for arriving in others:
        for size in (1, len(said)):
            scope = consolidated(stated, arriving, at_a_time=size)
            assert ([one.key for one in arriving], size, believed(stated, scope)) == (
                [one.key for one in arriving], size, timely,
            )  # fmt: skip
            sound(stated, scope)


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
