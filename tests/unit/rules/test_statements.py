"""The pack that reads statements: its cases hold, no text makes it stumble, and what it reads stands alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.rules import Case, default_roots, load_pack
from slowwave.rules.checking import check_cases
from slowwave.rules.statements.sentences import leans
from tests.unit.rules.rulepacks import NINE, episode

PACK = load_pack(default_roots()[0] / "statements", now=NINE)

SCRAPS = st.sampled_from(
    [
        "I moved to ", "I live in ", "Oslo", " and ", ", ", ". ", "? ", "\n", "I don't ", "like ", "tea", "my sister ",
        "we ", "last week ", "next Friday", "I've ", "I'd ", "”", "’", '"', "`", "🎉", "Ada: ", "if ", "because ",
        "it ", "brings me joy", "it's hard to ", "went ", "took ", "forget that ", "yesterday", "you ", "when ", "ſ",
        "İ", "\u0000", "\ud800", "the book that I read ", "going to ", "is ", "a dog named ", "[shares a photo]",
        "5 years ago ", "-", "'",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=200), st.lists(SCRAPS, max_size=14).map("".join)).filter(
    lambda text: text.strip() != ""
)


@pytest.mark.parametrize("case", PACK.cases, ids=lambda case: case.it)
def test_a_case_holds(case: Case) -> None:
    assert [str(failed) for failed in check_cases(PACK, [case], PACK.predicates)] == []


def test_it_has_cases_enough_of_what_it_takes_and_what_it_leaves() -> None:
    assert sum(bool(case.believe) for case in PACK.cases) >= 35
    assert sum(len(case.told) for case in PACK.cases if not case.believe) >= 30


@given(TEXTS)
def test_whatever_is_told_its_statements_stand_alone_and_cite_their_words(content: str) -> None:
    said = episode(content)

    claims = PACK.propose([said])

    assert PACK.propose([said]) == claims
    assert [claim.ordinal for claim in claims] == list(range(len(claims)))
    for claim in claims:
        assert (claim.form, claim.single_valued) == ("statement", False)
        assert 0 <= claim.source.start < claim.source.end <= len(content)
        assert claim.mode == "forget" or (claim.text.strip() and not leans(claim.text))


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_only_the_user_tells_of_themselves(role: str) -> None:
    assert PACK.propose([episode("I adopted a rescue greyhound", role=role)]) == []


@pytest.mark.parametrize(
    ("said", "predicate", "tense"),
    [
        ("I signed up for a pottery class", "sign_up", "past"),
        ("I don't eat pork", "not_eat", "current"),
        ("I'm going to visit my cousin in Bergen", "visit", "future"),
        ("My sister runs a bakery in Ghent", "be", "current"),
    ],
)
def test_a_statement_has_its_verb_and_its_tense(said: str, predicate: str, tense: str) -> None:
    (claim,) = PACK.propose([episode(said)])

    assert (claim.predicate, claim.tense) == (predicate, tense)


def test_what_is_only_thought_is_uncertain() -> None:
    (claim,) = PACK.propose([episode("Maybe I left my umbrella on the tram")])

    assert claim.certainty == "uncertain"


def test_a_day_in_the_past_is_when_it_was_so() -> None:
    (claim,) = PACK.propose([episode("I sold my old bicycle yesterday")])

    assert claim.valid_from.isoformat() == "2026-03-01T00:00:00+00:00"


@pytest.mark.parametrize(
    "said",
    [
        "I {}, just kidding", "I {}, only JOKING", "I {} jk", "I {}, yeah right", "I {}, said no one ever",
        "I {}, sarcasm intended", "I {} /s", "In my dream I {}", "My character and I {}", "The protagonist and I {}",
        "Once upon a time I {}", "For our role-play I {}", "For our Roleplay I {}",
    ],
)  # fmt: skip
def test_neither_jokes_nor_tales_are_believed(said: str) -> None:
    assert PACK.propose([episode("I moved to Oslo with my sister")])
    assert PACK.propose([episode(said.format("moved to Oslo with my sister"))]) == []


@pytest.mark.parametrize(
    "wish",
    ["Forget that", "please delete that.", "Erase what I just said", "Don't remember that", "No, don’t keep that"],
)
def test_every_way_to_ask_for_forgetting_is_heard(wish: str) -> None:
    assert [claim.mode for claim in PACK.propose([episode(wish)])] == ["forget"]
