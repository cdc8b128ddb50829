"""The day on which something ended, as its words tell it: typed facts, statements and plans alike."""

import pytest

from slowwave.core.beliefs.versions import Version
from slowwave.core.fold import Fold
from slowwave.rules import default_roots, load_pack
from tests.unit.rules.news.test_wordings import LATER
from tests.unit.rules.rulepacks import NINE, episode

EVERYDAY = load_pack(default_roots()[0] / "everyday")


def told(before: str, after: str) -> tuple[Version | None, Version]:
    """Return what is believed of *before*, told on 2 March, when *after* is told on 12 March, and its last part."""
    fold, first = Fold(predicates=EVERYDAY.predicates), None
    for number, text in enumerate((before, after), 1):
        at = NINE + (number - 1) * LATER
        turn = episode(text, number=number, session=f"s{number}", occurred=at, received=at, metadata={"speaker": "Sam"})
        for claim in EVERYDAY.propose([turn]):
            fold.decide(EVERYDAY.predicates.canonical(claim))
        first = first or next(version for versions in fold.held.values() for version in versions)
    assert first is not None
    parts = [
        version for version in fold.held[first.key] if version.fact == first.fact or version.object == first.object
    ]
    return next((one for one in fold.held[first.key] if one.valid.covers(NINE + LATER)), None), parts[-1]


@pytest.mark.parametrize(
    ("before", "after", "until"),
    [
        ("I play the cello", "I sold the cello on Saturday", "2026-03-08"),
        ("I work at Siemens", "I left Siemens last week", "2026-03-09"),
        ("I work at Siemens", "Yesterday I quit my job", "2026-03-12"),
        ("I have a dog named Rex", "Rex died on Monday", "2026-03-10"),
        ("I want to paint the shed", "we painted the shed last weekend", "2026-03-09"),
        ("I need to call the plumber", "I called the plumber on Monday", "2026-03-10"),
        ("I need to call the plumber", "called the plumber about the leak yesterday", "2026-03-12"),
        ("I have a gym membership", "On Monday I cancelled my gym membership", "2026-03-10"),
        ("I sing in the choir", "the choir folded last week", "2026-03-09"),
        ("I use Firefox", "I switched to Brave on Saturday", "2026-03-08"),
    ],
)
def test_what_has_ended_ended_when_the_words_say(before: str, after: str, until: str) -> None:
    now, last = told(before, after)

    assert now is None
    assert last.valid.end.date().isoformat() == until


@pytest.mark.parametrize(
    ("before", "after", "until"),
    [
        ("I work at Siemens", "I'm leaving Siemens next month", "2026-04-01"),
        ("I sing in the choir", "I'm giving up the choir in June", "2026-06-01"),
        ("I drive a Honda", "I'm selling the Honda in 2027", "2027-01-01"),
    ],
)
def test_what_is_to_end_holds_until_then(before: str, after: str, until: str) -> None:
    now, _ = told(before, after)

    assert now is not None
    assert now.valid.end.date().isoformat() == until


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I play the cello", "I sold the cello that I bought last week"),
        ("I have a gym membership", "I cancelled the gym membership I got in January"),
        ("I sing in the choir", "I left the choir for the band"),
    ],
)
def test_another_time_in_the_sentence_is_not_that_of_the_end(before: str, after: str) -> None:
    now, last = told(before, after)

    assert now is None
    assert last.valid.end == NINE + LATER


def test_what_was_sold_years_ago_was_another() -> None:
    now, _ = told("I drive a Honda", "I sold the Honda in 2019")

    assert now is not None
