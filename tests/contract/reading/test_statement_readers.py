"""Every reader of statements, whichever way it reads: the same words, the same sentences, the same silence."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slowwave.rules import Case, Pack, default_roots, load_pack
from slowwave.rules.checking import check_cases
from slowwave.rules.loading import read_part
from slowwave.rules.statements.sentences import leans
from tests.contract.reading.shared import Shared
from tests.unit.rules.rulepacks import episode

SHARED, PROBLEMS = read_part(Path(__file__).with_name("cases.yaml"), Shared)
CASES = SHARED.cases if SHARED else []
PACKS = default_roots()[0]
READERS = {"sentences": PACKS / "statements", "grammar": PACKS.parent / "more" / "grammar"}
SCRAPS = st.sampled_from(
    [
        "I moved to ", "I live in ", "Oslo", " and ", ", ", ". ", "? ", "\n", "I don't ", "like ", "tea", "my sister ",
        "we ", "last week ", "I've ", "I'd ", "”", "’", '"', "🎉", "Ada: ", "if ", "because ", "it ", "it's hard to ",
        "went ", "took ", "yesterday", "you ", "when ", "İ", "\u0000", "\ud800", "the book that I read ", "gonna ",
    ]
)  # fmt: skip


@pytest.fixture(
    scope="module",
    params=["sentences", pytest.param("grammar", marks=pytest.mark.accept)],  # it needs its extra
)
def reader(request: pytest.FixtureRequest) -> Pack:
    """The pack of a reader; where its extra is missing the test fails with its name."""
    return load_pack(READERS[request.param])


def test_the_shared_cases_are_read() -> None:
    assert PROBLEMS == []
    assert sum(bool(case.believe) for case in CASES) >= 30
    assert sum(len(case.told) for case in CASES if not case.believe) >= 30


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.it)
def test_a_case_holds(reader: Pack, case: Case) -> None:
    assert [str(failed) for failed in check_cases(reader, [case], reader.predicates)] == []


def test_a_reader_passes_its_own_cases(reader: Pack) -> None:
    assert [str(failed) for failed in reader.failures()] == []


def test_whatever_is_told_its_statements_stand_alone_and_cite_their_words(reader: Pack) -> None:
    @settings(max_examples=60, deadline=None)
    @given(st.lists(SCRAPS, min_size=1, max_size=14).map("".join).filter(str.strip))
    def holds(content: str) -> None:
        said = episode(content)

        claims = reader.propose([said])

        assert reader.propose([said]) == claims
        assert [claim.ordinal for claim in claims] == list(range(len(claims)))
        for claim in claims:
            assert (claim.form, claim.single_valued) == ("statement", False)
            assert 0 <= claim.source.start < claim.source.end <= len(content)
            assert claim.mode == "forget" or (claim.text.strip() and not leans(claim.text))

    holds()


def test_a_window_gives_what_its_episodes_give_one_by_one(reader: Pack) -> None:
    every = (one for case in CASES for one in case.episodes)
    told = [one.model_copy(update={"position": number}) for number, one in enumerate(every)]

    assert reader.propose(told) == [claim for one in told for claim in reader.propose([one])]


TURNS = [
    ("How was the hike?", "assistant"), ("It was amazing!", "user"), ("I keep two tortoises.", "user"),
    ("They eat dandelions and clover with my cousin.", "user"), ("Did you buy the kayak?", "assistant"),
    ("Yes", "user"), ("That quilt looks lovely!", "assistant"), ("I sewed it with my aunt in Ghent", "user"),
]  # fmt: skip


def test_where_a_window_begins_changes_nothing(reader: Pack) -> None:
    turns = [episode(text, number=number, role=role) for number, (text, role) in enumerate(TURNS, 1)]
    whole = reader.propose(turns)

    assert any(claim.more_sources for claim in whole)
    for cut in range(len(turns)):
        assert whole == reader.propose(turns[:cut]) + reader.propose_after(turns[:cut], turns[cut:])


def test_an_answer_cites_the_question_and_a_pronoun_what_it_means(reader: Pack) -> None:
    asked, answer = episode("Did you buy the kayak?", number=1, role="assistant"), episode("Yes", number=2)
    (bought,) = reader.propose_after([asked], [answer])
    shown, sewn = episode("That quilt looks lovely!", number=1, role="assistant"), episode(TURNS[-1][0], number=2)
    (sewed,) = reader.propose_after([shown], [sewn])

    assert reader.looks_back
    assert (bought.text, sewed.text) == (
        "The user bought the kayak",
        "The user sewed the quilt with their aunt in Ghent",
    )
    assert [source.position for source in (bought.source, *bought.more_sources)] == [2, 1]
    assert [source.position for source in (sewed.source, *sewed.more_sources)] == [2, 1]
    assert reader.propose([answer]) == reader.propose([sewn]) == []


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_only_the_user_tells_of_themselves(reader: Pack, role: str) -> None:
    assert reader.propose([episode("I adopted a rescue greyhound", role=role)]) == []


@pytest.mark.parametrize(
    ("said", "predicate", "tense"),
    [
        ("I signed up for a pottery class", "sign_up", "past"),
        ("I don't eat pork", "not_eat", "current"),
        ("I'm going to visit my cousin in Bergen", "visit", "future"),
    ],
)
def test_a_statement_has_its_verb_and_its_tense(reader: Pack, said: str, predicate: str, tense: str) -> None:
    (claim,) = reader.propose([episode(said)])

    assert (claim.predicate, claim.tense) == (predicate, tense)


def test_what_is_only_thought_is_uncertain(reader: Pack) -> None:
    (claim,) = reader.propose([episode("Maybe I left my umbrella on the tram")])

    assert claim.certainty == "uncertain"


def test_a_day_in_the_past_is_when_it_was_so(reader: Pack) -> None:
    (claim,) = reader.propose([episode("I sold my old bicycle yesterday")])

    assert claim.valid_from.isoformat() == "2026-03-01T00:00:00+00:00"
