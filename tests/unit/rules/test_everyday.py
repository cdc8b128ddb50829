"""The packs that ship or can be added read everyday talk; what somebody reports as ended ends, and no more."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from slowwave.core.fold import Fold
from slowwave.domain.claim import Claim
from slowwave.rules import Case, default_roots, load_pack
from slowwave.rules.cases import check_cases
from slowwave.rules.engines.rules_engine import PatternReader
from slowwave.rules.statements.sentences import leans
from tests.unit.rules.rulepacks import NINE, episode
from tests.unit.tables import over

PACK = load_pack(default_roots()[0] / "everyday", now=NINE)

SCRAPS = st.sampled_from(
    [
        "I moved to ", "I live in ", "Oslo", "São Paulo", " and ", ", ", ". ", "? ", "\n", "I don't ", "like ", "tea",
        "my sister ", "Ana ", "no longer ", "last week ", "next Friday", "I've ", "“", "”", "’", '"', "`", "```", "🎉",
        "Caroline: ", "[Memory] ", "if ", "every day ", "I have ", "a dog named ", "Åse", "\u0000", "\ud800", "ſ", "İ",
        "actually ", "I meant ", "forget that ", "favourite ", " is ", "on June 3rd ", "999 years ago ", "\u00a0",
        "we ", "I'd ", "because ", "it ", "brings me joy", "it's hard to ", "went ", "took ", "yesterday", "you ",
        "when ", "the book that I read ", "going to ", "[shares a photo]", "5 years ago ", "-", "'",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=200), st.lists(SCRAPS, max_size=14).map("".join)).filter(
    lambda text: text.strip() != ""
)


@over(PACK.cases)
def test_each_case_of_the_everyday_pack_passes(case: Case) -> None:
    assert [str(failed) for failed in check_cases(PACK, [case], PACK.predicates, typed=True)] == []


def test_the_everyday_pack_has_enough_rules_and_cases() -> None:
    assert isinstance(PACK.reader, PatternReader)
    assert len(PACK.reader.rules) >= 45
    assert len(PACK.cases) >= 130
    assert sum(not case.believe for case in PACK.cases) >= 35


def test_the_everyday_pack_runs_at_night_and_every_hundred_episodes() -> None:
    assert (PACK.cadence.every, PACK.cadence.cron) == (100, "0 3 * * *")
    assert PACK.next_runs == (datetime(2026, 3, 3, 3, tzinfo=UTC), datetime(2026, 3, 4, 3, tzinfo=UTC))


def test_a_failing_case_names_expected_and_actual_beliefs() -> None:
    case = PACK.cases[0].model_copy(update={"believe": ["user lives_in Rome"]})
    (failed,) = check_cases(PACK, [case], PACK.predicates, typed=True)
    assert failed.expected == ("user lives_in Rome",)
    assert failed.got == ("user lives_in Oslo",)
    assert str(failed).endswith(
        f"missing: user lives_in Rome; not expected: user lives_in Oslo (by everyday/moved-home@{PACK.version})"
    )


@given(TEXTS)
def test_any_text_gives_valid_claims_with_spans_in_the_text_and_statements_that_stand_alone(content: str) -> None:
    said = episode(content)
    claims = PACK.propose([said])
    assert PACK.propose([said]) == claims
    assert [claim.ordinal for claim in claims] == list(range(len(claims)))
    for claim in claims:
        assert 0 <= claim.source.start < claim.source.end <= len(content)
        assert claim.subject
        assert claim.object or claim.mode in ("end", "forget")
        if claim.form == "statement":
            assert not claim.single_valued
            assert claim.mode == "forget" or (claim.text.strip() and not leans(claim.text))


@given(TEXTS)
@example("[Memory] ``````MOVED TO A ")
@example("```\n``` I moved to Oslo")
def test_recalled_text_is_never_learned_again(content: str) -> None:
    lines = "\n".join(f"[Memory] {line}" for line in content.splitlines())
    assert PACK.propose([episode(f"[Memory]{lines}")]) == []
    assert PACK.propose([episode(content, kind="memory_read")]) == []


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
@given(TEXTS)
@example("I adopted a rescue greyhound")
def test_nobody_else_speaks_for_the_user(role: str, content: str) -> None:
    assert PACK.propose([episode(content, role=role)]) == []


@given(st.lists(TEXTS, max_size=6), st.integers(0, 6))
def test_windows_do_not_change_the_claims(contents: list[str], cut: int) -> None:
    told = [episode(content, number=number + 1) for number, content in enumerate(contents)]
    assert PACK.propose(told) == PACK.propose(told[:cut]) + PACK.propose_after(told[:cut], told[cut:])


ODD = str.maketrans({"s": "\u017f", "k": "\u212a"})
"""Letters with another spelling that match if case is ignored."""


@pytest.mark.accept
def test_a_pattern_set_finds_exactly_the_matching_expressions() -> None:
    assert isinstance(PACK.reader, PatternReader)
    patterns = PACK.reader.matcher.patterns.pattern_set
    for told in (told for case in PACK.cases for told in case.episodes):
        for text in (told.text, told.text.upper(), told.text.translate(ODD)):
            found = [n for n, expression in enumerate(patterns.expressions) if expression.search(text)]
            assert patterns.hits(text) == found
            assert set(found) <= set(patterns.candidates(text))


MORE = Path(__file__).parents[3] / "rules" / "more"


@pytest.mark.parametrize("name", ["assistant-said"])
def test_an_optional_pack_passes_its_cases_and_half_of_them_expect_no_facts(name: str) -> None:
    pack = load_pack(MORE / name)
    assert [str(failed) for failed in pack.failures()] == []
    told = [told for case in pack.cases if not case.believe for told in case.episodes]
    assert 2 * len(told) >= sum(len(case.episodes) for case in pack.cases)


UPDATES = Path(__file__).parents[2] / "packs" / "updates"


def test_the_pack_of_updates_keeps_its_cases() -> None:
    pack = load_pack(UPDATES)

    assert [str(failed) for failed in pack.failures()] == []
    assert all(pack.predicates.of(name).single_valued for name in ("capital", "the_head_coach"))


def test_the_full_stop_of_a_company_ends_no_sentence() -> None:
    pack = load_pack(UPDATES)
    (case, *_) = [case for case in pack.cases if "whole name" in case.it]

    assert case.believe == ["Acme Inc. chief_executive_officer Ada Lind"]


CHANGES = Path(__file__).parents[3] / "ops" / "changes"
LATER = timedelta(days=60)

HELD_TO = {"seen": (0.73, 0.43, 0.035), "held_out": (0.73, 0.24, 0.06)}
"""The least share of pairs whose old belief is read; of these, the least share of what has ended that is believed no
longer, and the most of what holds."""


def believed(claims: Sequence[Claim], fold: Fold) -> list[str]:
    """Return the beliefs after *claims*, as sentences."""
    for claim in claims:
        fold.decide(PACK.predicates.canonical(claim))
    return [
        held.text or PACK.predicates.sentence(held.subject, held.predicate, held.object)
        for held in fold.believed(NINE + 2 * LATER)
    ]


def outcome(told: Mapping[str, Any]) -> tuple[str, bool] | None:
    """Return the verdict on a change, and whether the old belief has ended; None if it was never extracted."""
    turns = [
        episode(text, number=number, session=session, occurred=at, received=at, metadata={"speaker": "Sam"})
        for session, texts, at in (("s1", told["before"], NINE), ("s2", told["after"], NINE + LATER))
        for number, text in enumerate(texts, 1 if session == "s1" else 1 + len(told["before"]))
    ]
    claims, fold = PACK.propose(turns), Fold(predicates=PACK.predicates)
    before = [claim for claim in claims if claim.source.position <= len(told["before"])]
    old, new = re.compile(told["old"], re.IGNORECASE), re.compile(told["new"] or "$^", re.IGNORECASE)
    if not any(old.search(text) for text in believed(before, fold)):
        return None
    held = believed(claims[len(before) :], fold)
    return told["verdict"], not any(old.search(text) and not new.search(text) for text in held)


@pytest.mark.parametrize("half", HELD_TO)
def test_the_rules_end_changed_beliefs_and_keep_the_others(half: str) -> None:
    told = json.loads((CHANGES / f"{half}.json").read_text(encoding="utf-8"))
    count = Counter(found for one in told if (found := outcome(one)))

    ended = count["ended", True] / (count["ended", True] + count["ended", False])
    wrong = count["kept", True] / (count["kept", True] + count["kept", False])
    read, least, most = HELD_TO[half]
    assert count.total() >= read * len(told), f"of {len(told)} old beliefs {count.total()} were read"
    assert ended >= least, f"{ended:.3f} of what has ended is believed no longer"
    assert wrong <= most, f"{wrong:.3f} of what holds is believed no longer"
