"""Ordinary lives, told in any order, leave the same beliefs as in time."""

from operator import itemgetter

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from slowwave.domain.job_table import RECONSIDER, pack_of
from slowwave.domain.scope import Scope
from tests.contract.harness import Harness
from tests.contract.late_arrivals.comparing import sound
from tests.contract.news.test_facts_after_the_news import consolidated, told

LIVES = [
    # ends
    ["I'm reading Middlemarch", "I finished Middlemarch", "I'm reading Emma"],
    ["I'm reading Middlemarch", "I love Middlemarch", "I finished Middlemarch"],
    ["I'm allergic to walnuts", "I'm not allergic to walnuts any more", "I'm allergic to hazelnuts"],
    ["I have a walnut allergy", "I'm no longer allergic to walnuts", "I'm allergic to hazelnuts and walnuts"],
    ["I smoke", "I stopped smoking", "I started smoking again"],
    ["I have a gym membership", "I cancelled my gym membership", "I joined a climbing club"],
    ["I have a cat called Rex", "Rex died", "I have a cat called Momo"],
    ["The build is broken", "I fixed the build", "The build is broken again"],
    # moves and other changes of a value
    ["My rent is 900", "My rent went up to 950", "My rent is 1000 now"],
    ["I live in Lisbon", "I moved to Oslo", "I moved to Rome"],
    ["I moved to Ghent in September", "I live in Ghent", "I moved to Bruges"],
    ["I work at Acme", "I got a job at Initech", "I quit my job"],
    ["My boss is Karen", "Karen left the company", "My new boss is Tom"],
    ["We use Jenkins for CI", "We switched from Jenkins to GitHub Actions", "We use GitLab now"],
    ["My sister Ana lives in Porto", "Ana moved to Madrid", "Ana is back in Porto"],
    ["My girlfriend is Mia", "Mia and I broke up", "My girlfriend is Lea"],
    ["The meeting with Ana is on Monday", "The meeting with Ana was moved to Wednesday"],
    ["I have a dentist appointment next Tuesday", "My dentist appointment is on Thursday now"],
    # corrections
    ["My sister's name is Anna", "No, I meant Hanna", "Hanna lives in Porto"],
    ["My daughter is 5", "Sorry, my daughter is 6", "My daughter started school"],
    ["Deploys go out on Fridays", "Sorry, I meant Tuesdays"],
    ["I live in Lisbon", "No, I meant Porto", "I like tea"],
    ["I like rock", "I like tea", "Forget that"],
    ["We meet at 9", "Correction: we meet at 10, not at 9", "We meet at 11 now"],
    # fulfilments
    ["I want to buy a piano", "I bought the piano", "I sold the piano"],
    ["I'm writing a novel", "I finished my novel", "I'm writing a second novel"],
    ["I'm planning to run the Berlin marathon", "I ran the Berlin marathon"],
    ["I'm taking my driving theory test next month", "Passed my theory test, 48 out of 50!"],
    # news that is close to a belief, and does not end it
    ["My brother Carl lives in Leeds", "My friend Carl moved to Hull", "My brother Carl moved to York"],
    ["My uncle Peter works at Siemens", "My neighbour Peter left Siemens", "My uncle Peter left Siemens"],
    ["I play chess with Albert on Tuesdays", "Albert has moved to Spain", "I gave up chess"],
    ["I drink Oatly", "The Oatly is finished too", "No more Oatly for me"],
    # repetitions
    ["I like jazz", "I live in Lisbon", "I like jazz"],
    ["I'm vegan", "I'm still vegan", "I'm not vegan any more"],
    ["I work at Acme", "I still work at Acme", "I left Acme"],
]
"""Texts that are told a day apart, by life."""


def believed(harness: Harness, scope: Scope) -> list[tuple[object, ...]]:
    """Return the beliefs after a night, with their periods, and the open reviews."""
    harness.parts.schedule.fire_job(RECONSIDER, pack_of(RECONSIDER), by="test")
    harness.drain()
    return harness.rows(
        "SELECT text, lower(valid), upper(valid) FROM facts WHERE scope = %s AND upper_inf(recorded) "
        "UNION ALL SELECT reason || (item ->> 'object'), NULL, NULL FROM dead_letters "
        "WHERE scope = %s AND category = 'conflict' AND state = 'open' ORDER BY 1, 2, 3",
        scope.id, scope.id,
    )  # fmt: skip


@st.composite
def arriving(draw: st.DrawFn) -> tuple[list[str], list[int]]:
    """Return one life, or two with different beginnings, mixed, and an order of arrival."""
    said, *others = (
        [*life] for life in draw(st.lists(st.sampled_from(LIVES), min_size=1, max_size=2, unique_by=itemgetter(0)))
    )
    at = 0
    for one in (turn for life in others for turn in life):
        at = draw(st.integers(at, len(said)))
        said.insert(at, one)
        at += 1
    return said, draw(st.permutations(range(len(said))))


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(life=arriving(), size=st.integers(1, 3))
@example(life=(LIVES[0], [1, 0, 2]), size=1)
@example(life=(LIVES[1], [2, 1, 0]), size=1)
@example(life=(LIVES[3], [0, 2, 1]), size=1)
@example(life=(LIVES[8], [2, 0, 1]), size=1)
@example(life=(LIVES[18], [1, 0, 2]), size=1)
@example(life=(LIVES[20], [1, 0]), size=1)
@example(life=(LIVES[21], [1, 2, 0]), size=1)
@example(life=(["The launch slipped to 27 November", "The launch is done"], [1, 0]), size=1)
@example(life=(LIVES[-7], [0, 2, 1]), size=1)
@example(life=(LIVES[-7], [2, 1, 0]), size=1)
def test_a_life_told_in_any_order_leaves_the_same_beliefs(
    stated: Harness, life: tuple[list[str], list[int]], size: int
) -> None:
    said, order = life
    timely = consolidated(stated, told(said, range(len(said))))

    late = consolidated(stated, told(said, order), at_a_time=size)

    assert believed(stated, late) == believed(stated, timely)
    sound(stated, timely, late)
