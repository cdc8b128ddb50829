"""The wordings of news in `wordings.txt` end the beliefs they are about; similar wordings end nothing."""

import re
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from slowwave.core.fold import Decision, Fold
from tests.unit.rules.rulepacks import EVERYDAY, NINE, episode
from tests.unit.tables import over

LATER = timedelta(days=10)
NEWS = [
    line
    for line in Path(__file__).with_name("wordings.txt").read_text(encoding="utf-8").splitlines()
    if line[:2] in ("+ ", "- ", "? ")
]


def believed(told: str) -> list[list[str]]:
    """Return the beliefs after each session of *told*, as sentences."""
    return lived(told)[0]


def lived(told: str) -> tuple[list[list[str]], list[list[str]]]:
    """Return the beliefs after each session of *told*, and those in a review of the last session."""
    fold, found, number = Fold(predicates=EVERYDAY.predicates), list[list[str]](), 0
    decisions: list[Decision] = []
    for count, session in enumerate(told.split(" >> ")):
        turns = []
        for minute, turn in enumerate(session.split(" || ")):
            named, number = re.match(r"@(\w+) (.*)", turn), number + 1
            speaker, text = named.groups() if named else ("Sam", turn)
            at = NINE + count * LATER + timedelta(minutes=minute)
            turns.append(
                episode(
                    text, number=number, session=f"s{count}", occurred=at, received=at, metadata={"speaker": speaker}
                )
            )
        decisions = [
            one for claim in EVERYDAY.propose(turns) for one in fold.decide(EVERYDAY.predicates.canonical(claim))
        ]
        held = fold.believed(turns[-1].occurred + timedelta(hours=1))
        said = {v.fact: v.text or EVERYDAY.predicates.sentence(v.subject, v.predicate, v.object) for v in held}
        found.append(list(said.values()))
    asked = [[said[fact] for fact in one.among if fact in said] for one in decisions if one.kind == "review"]
    return found, asked


def says(pattern: str, texts: Sequence[str]) -> bool:
    """Return whether one of *texts* matches."""
    return any(re.search(pattern, text, re.IGNORECASE) for text in texts)


@over(NEWS)
def test_each_wording_of_news_ends_only_its_subject(line: str) -> None:
    told, old, *new = line[2:].split(" | ")
    (*before, after), asked = lived(told)

    assert all(says(old, held) for held in before[-1:]), f"never read: {before}"
    assert says(old, after) == (line[0] != "+"), after
    assert all(says(one, after) for one in new), after
    if line[0] == "?":
        assert any(all(says(one, among) for one in (old, *new)) for among in asked), asked


@pytest.mark.parametrize(
    "told",
    [
        "The report is due on March 20. || The thesis is due on March 22. >> The deadline was extended to March 29",
        "I have a dentist appointment on the 20th. I have a hair appointment on the 22nd >> My appointment was moved to"
        " the 28th",
    ],
)
def test_the_new_date_in_a_review_is_not_a_separate_belief(told: str) -> None:
    (before, after), asked = lived(told)

    assert (after, len(asked)) == (before, 1)
