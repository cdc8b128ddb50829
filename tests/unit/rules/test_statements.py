"""Statements from talk that no rule covers: each is understandable alone."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from tests.unit.rules.rulepacks import EVERYDAY, episode
from tests.unit.tables import over, table

ROWS = table(__file__)


def told(*turns: StoredEpisode, before: Sequence[StoredEpisode] = ()) -> list[Claim]:
    """Return the statements and the forget requests that the pack extracts from *turns*."""
    return [claim for claim in EVERYDAY.propose_after(before, turns) if claim.form == "statement"]


def test_the_statement_cases_cover_enough_accepted_and_rejected_text() -> None:
    cases = [case for case in EVERYDAY.cases if case.statements is not None]
    assert sum(bool(case.statements) for case in cases) >= 35
    assert sum(len(case.episodes) for case in cases if not case.statements) >= 30


@pytest.mark.parametrize(("said", "predicate", "tense"), ROWS["tenses"])
def test_a_statement_has_its_verb_and_its_tense(said: str, predicate: str, tense: str) -> None:
    (claim,) = told(episode(said))

    assert (claim.predicate, claim.tense) == (predicate, tense)


def test_a_supposition_is_uncertain() -> None:
    (claim,) = told(episode("Maybe I left my umbrella on the tram"))

    assert claim.certainty == "uncertain"


def test_a_day_in_the_past_is_when_it_was_so() -> None:
    (claim,) = told(episode("I sold my old bicycle yesterday"))

    assert claim.valid_from.isoformat() == "2026-03-01T00:00:00+00:00"


@over([
        "I {}, just kidding", "I {}, only JOKING", "I {} jk", "I {}, yeah right", "I {}, said no one ever",
        "I {}, sarcasm intended", "I {} /s", "In my dream I {}", "My character and I {}", "The protagonist and I {}",
        "Once upon a time I {}", "For our role-play I {}", "For our Roleplay I {}",
    ])  # fmt: skip
def test_jokes_and_tales_give_no_statements(said: str) -> None:
    assert told(episode("I painted my sister's boat"))
    assert told(episode(said.format("painted my sister's boat"))) == []


@pytest.mark.parametrize(
    "wish",
    ["Forget that", "please delete that.", "Erase what I just said", "Don't remember that", "No, don’t keep that"],
)
def test_each_phrase_for_forgetting_makes_a_forget_claim(wish: str) -> None:
    assert [claim.mode for claim in told(episode(wish))] == ["forget"]


TURNS = [
    "How was the hike?", "It was amazing!", "I keep two tortoises.", "They eat dandelions and clover.", "Yes", "No",
    "Did you buy the kayak?", "My cousin moved to Bruges.", "She repairs church organs for my uncle", "To Crete",
    "Where did you go?", "That quilt looks lovely!", "I sewed it with my aunt in Ghent", "I met my wife there",
]  # fmt: skip
WHO = [
    {}, {"role": "assistant"}, {"metadata": {"speaker": "Nora"}}, {"role": "tool", "kind": "tool_call"},
    {"session": "s2"},
]  # fmt: skip
TALKS = st.lists(st.tuples(st.sampled_from(TURNS), st.sampled_from(WHO)), max_size=14)


def talk(told: list[tuple[str, dict[str, Any]]]) -> list[StoredEpisode]:
    return [episode(text, number=number, **who) for number, (text, who) in enumerate(told, 1)]


@given(TALKS, st.integers(0, 14))
def test_the_start_of_a_window_does_not_change_the_claims(told: list[tuple[str, dict[str, Any]]], cut: int) -> None:
    turns = talk(told)
    whole = EVERYDAY.propose(turns)

    assert whole == EVERYDAY.propose(turns[:cut]) + EVERYDAY.propose_after(turns[:cut], turns[cut:])
    assert whole == [
        claim for at in range(len(turns)) for claim in EVERYDAY.propose_after(turns[max(0, at - 6) : at], [turns[at]])
    ]


@given(TALKS)
def test_a_statement_cites_the_earlier_turns_that_it_uses_and_concerns_the_user(
    told: list[tuple[str, dict[str, Any]]],
) -> None:
    turns = talk(told)
    by_id = {turn.id: turn for turn in turns}

    for claim in EVERYDAY.propose(turns):
        assert by_id[claim.source.episode].role == "user"
        for source in claim.more_sources:
            turn = by_id[source.episode]
            assert turn.session == claim.session
            assert turn.position <= claim.source.position
            assert turn.content[source.start : source.end].strip()


def cited(claim: Claim, turns: list[StoredEpisode]) -> list[str]:
    contents = {turn.id: turn.content for turn in turns}
    return [contents[source.episode][source.start : source.end] for source in (claim.source, *claim.more_sources)]


def test_a_joined_statement_does_not_cite_the_text_between_its_sentences() -> None:
    turns = talk([("I joined a rowing club. Guess why! I wanted to meet my neighbours.", {})])
    (claim,) = told(*turns)

    assert claim.text == "The user joined a rowing club, and the user wanted to meet their neighbours"
    assert cited(claim, turns) == ["I joined a rowing club", "I wanted to meet my neighbours"]
