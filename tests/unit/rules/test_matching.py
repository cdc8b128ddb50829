"""Matches of rules: their words, their places, and excluded text; a quick test never rejects what matches."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.domain.claim import Claim
from slowwave.rules import Pack, load_pack
from slowwave.rules.dates import finding
from slowwave.rules.regexes import QuickTest
from slowwave.rules.statements import sentences, statement_claims
from slowwave.rules.statements.words import these
from tests.unit.rules.rulepacks import episode, manifest, packed, rule, written

LIKES = rule(id="likes", when=r"\bI like (?P<object>[^,.]+)", claim={"predicate": "likes"}, certainty="implied")
GUARDS = [
    {"id": "denial", "says": "What is denied is not.", "when": r"\bnot\b"},
    {"id": "doubt", "says": "Who guesses is unsure.", "when": r"\bI guess\b", "certainty": "uncertain"},
]


def said(pack: Pack, content: str, **changes: Any) -> list[tuple[str, str, str, str]]:
    return [(c.subject, c.predicate, c.object, c.mode) for c in pack.propose([episode(content, **changes)])]


def only(pack: Pack, content: str) -> Claim:
    (claim,) = pack.propose([episode(content)])
    return claim


def words(content: str, claim: Claim) -> str:
    return content[claim.source.start : claim.source.end]


def test_a_claim_says_everything_about_itself(tmp_path: Path) -> None:
    claim = only(packed(tmp_path), "I moved to Oslo")
    assert (claim.subject, claim.predicate, claim.object, claim.mode) == ("user", "lives_in", "Oslo", "assert")
    assert (claim.rule, claim.certainty, claim.confidence) == ("odd/moved-home@1", "explicit", 0.95)
    assert (claim.single_valued, claim.session, claim.ordinal) == (True, "s1", 0)
    assert (claim.source.key, claim.source.position, claim.source.start, claim.source.end) == ("e1", 1, 0, 15)


@pytest.mark.parametrize(
    "content",
    ["I moved to Oslo", "🎉🎉 I moved to Oslo 🎉", "Ærlig talt… I moved to Oslo!", "日本語。\n\tI moved to Oslo  "],
)
def test_the_span_counts_characters_not_bytes(tmp_path: Path, content: str) -> None:
    claim = only(packed(tmp_path), content)
    assert words(content, claim) == "I moved to Oslo"


def test_a_curly_apostrophe_shifts_no_position_of_a_match(tmp_path: Path) -> None:
    pack = packed(tmp_path, rules=[rule(when=r"\bI've moved to (?P<object>\w+)")])
    content = "Well “yes”. I’ve moved to Oslo"
    assert words(content, only(pack, content)) == "I’ve moved to Oslo"


def test_the_span_ends_where_the_object_was_cut(tmp_path: Path) -> None:
    pack = packed(tmp_path, rules=[LIKES], tidy={"lead": ["the "], "cut": [" with my "], "refuse": ["^it$"]})
    content = "I like the sea with my dog"
    claim = only(pack, content)
    assert (claim.object, words(content, claim)) == ("sea", "I like the sea")
    assert said(pack, "I like it") == []


def test_two_matching_rules_make_one_claim(tmp_path: Path) -> None:
    pack = packed(tmp_path, rules=[rule(), rule(id="second", when=r"moved to (?P<object>\w+)")])
    assert only(pack, "I moved to Oslo").rule == "odd/moved-home@1"


def test_a_list_makes_a_claim_of_each_member(tmp_path: Path) -> None:
    pack = packed(tmp_path, rules=[{**LIKES, "each": True, "when": r"I like (?P<object>.+)"}])
    assert [c[2] for c in said(pack, "I like tea, jam and toast.")] == ["tea", "jam", "toast"]
    assert [c.ordinal for c in pack.propose([episode("I like tea and jam")])] == [0, 1]


def test_a_guard_suppresses_a_claim_or_lowers_its_confidence(tmp_path: Path) -> None:
    pack = packed(tmp_path, guards=GUARDS)
    assert said(pack, "I moved to Oslo not Rome") == []
    claim = only(pack, "I guess I moved to Oslo")
    assert (claim.certainty, claim.confidence) == ("uncertain", 0.5)


def test_a_rule_can_override_a_guard(tmp_path: Path) -> None:
    pack = packed(tmp_path, guards=GUARDS, rules=[rule(when=r"moved to (?P<object>\w+) not", despite=["denial"])])
    assert only(pack, "I moved to Oslo not Rome").object == "Oslo"


def test_unless_suppresses_its_rule_within_the_sentence_only(tmp_path: Path) -> None:
    pack = packed(tmp_path, rules=[rule(unless=["\\bdream\\b", "\\bgame\\b"]), LIKES])
    assert said(pack, "In a dream I moved to Oslo. I like tea") == [("user", "likes", "tea", "assert")]


def test_a_rules_confidence_overrides_its_certainty(tmp_path: Path) -> None:
    assert only(packed(tmp_path, rules=[rule(confidence=0.6)]), "I moved to Oslo").confidence == 0.6


def test_a_template_fills_subject_predicate_and_object(tmp_path: Path) -> None:
    claim = {"subject": "{user}'s {who}", "predicate": "favourite_{what}", "object": "{object} ({metadata.place})"}
    pack = packed(
        tmp_path,
        rules=[rule(when=r"my (?P<who>\w+) likes the (?P<what>[\w ]+?) (?P<object>\w+)\.", claim=claim)],
        predicates={"favourite_*": {"single_valued": True}},
    )
    (found,) = pack.propose(
        [episode("my cat likes the Ice Cream Vanilla.", metadata={"place": "Oslo", "speaker": "Mel"})]
    )
    assert (found.subject, found.predicate, found.object) == ("Mel's cat", "favourite_ice_cream", "Vanilla (Oslo)")
    assert found.single_valued
    assert pack.propose([episode("my cat likes the Ice Cream Vanilla.")]) == []


def test_a_turn_rule_changes_an_assertion_to_an_end_or_a_correction(tmp_path: Path) -> None:
    turns = [
        {"id": "end", "says": "It is so no longer.", "when": "no longer", "mode": "end", "lifts": ["denial"]},
        {"id": "fix", "says": "It was said wrongly.", "when": "^actually", "mode": "correct", "within": "sentence"},
    ]
    rules = [rule(when=r"I (?:no longer )?live in (?P<object>\w+)"), LIKES]
    pack = packed(tmp_path, guards=GUARDS, turns=turns, rules=rules)
    assert said(pack, "I no longer live in Oslo") == [("user", "lives_in", "Oslo", "end")]
    assert said(pack, "Actually I live in Oslo") == [("user", "lives_in", "Oslo", "correct")]
    assert said(pack, "Actually I like tea") == [("user", "likes", "tea", "assert")]


def test_a_correction_of_many_values_needs_a_clear_withdrawal(tmp_path: Path) -> None:
    turns = [
        {"id": "back", "says": "It is taken back.", "when": "^no wait", "mode": "correct", "many": True},
        {"id": "fix", "says": "It was said wrongly.", "when": "^actually", "mode": "correct"},
    ]
    pack = packed(tmp_path, turns=turns, rules=[LIKES], instead=[r", not (?P<wrong>\w+)$"], splits=[r"(?P<cut>, )not"])
    modes = {
        words: [(claim.object, claim.mode, claim.wrong) for claim in pack.propose([episode(words)])]
        for words in ("Actually I like tea", "No wait I like tea", "I like tea, not milk", "I like tea")
    }
    assert modes == {
        "Actually I like tea": [("tea", "assert", "")],
        "No wait I like tea": [("tea", "correct", "")],
        "I like tea, not milk": [("tea", "correct", "milk")],
        "I like tea": [("tea", "assert", "")],
    }


@pytest.mark.parametrize(
    ("content", "changes"),
    [
        ("I moved to Oslo", {"role": "assistant"}),
        ("I moved to Oslo", {"role": "system"}),
        ("I moved to Oslo", {"kind": "memory_read"}),
        ("I moved to Oslo", {"kind": "model_call"}),
        ("[Memory] I moved to Oslo", {}),
        ("  [memory] I moved to Oslo", {}),
        ("> I moved to Oslo", {}),
        ("<memory>\nI moved to Oslo\n</memory>", {}),
        ("```py\nI moved to Oslo\n```", {}),
        ("```\nI moved to Oslo", {}),
        ("`I moved to Oslo`", {}),
        ('She sang "I moved to Oslo"', {}),
        ("She sang “I moved to Oslo”", {}),
        ("Assistant: I moved to Oslo", {}),
        ("x" * 1_000 + " I moved to Oslo", {}),
    ],
)
def test_text_that_is_not_the_users_is_not_read(tmp_path: Path, content: str, changes: dict[str, Any]) -> None:
    assert said(packed(tmp_path), content, **changes) == []


def test_a_prefix_names_the_speaker(tmp_path: Path) -> None:
    pack = packed(tmp_path, not_names=["note"])
    assert said(pack, "Mary Ann: I moved to Oslo")[0][0] == "Mary Ann"
    assert said(pack, "Note: I moved to Oslo")[0][0] == "user"
    assert said(pack, "Mel: hi\nI moved to Oslo\nUser: I moved to Rome") == [
        ("Mel", "lives_in", "Oslo", "assert"),
        ("user", "lives_in", "Rome", "assert"),
    ]


def test_a_rule_can_match_metadata_alone(tmp_path: Path) -> None:
    failed = rule(
        id="failed", when=[], where={"success": False}, kinds=["tool_call"], roles=["tool"],
        claim={"subject": "{metadata.tool}", "predicate": "last_outcome", "object": "failed: {metadata.error}"},
    )  # fmt: skip
    pack = packed(tmp_path, rules=[failed])
    metadata = {"tool": "search", "success": False, "error": "timeout\n  at line 3"}
    call = episode("boom", role="tool", kind="tool_call", metadata=metadata)
    (claim,) = pack.propose([call])
    assert (claim.subject, claim.object) == ("search", "failed: timeout")
    assert (claim.source.start, claim.source.end) == (0, 4)
    assert pack.propose([episode("boom", role="tool", kind="tool_call", metadata={"success": None})]) == []


def test_claims_come_in_order_of_position(tmp_path: Path) -> None:
    pack = packed(tmp_path)
    claims = pack.propose([episode("I moved to Oslo", number=2), episode("I moved to Rome", number=1)])
    assert [claim.object for claim in claims] == ["Rome", "Oslo"]


def test_an_otherwise_rule_applies_only_where_no_other_rule_matches(tmp_path: Path) -> None:
    did = rule(id="did", when=r"\bI (?P<object>moved .+|ran .+)", claim={"predicate": "did"}, otherwise=True)
    pack = packed(tmp_path, rules=[rule(), did])
    assert said(pack, "I moved to Oslo") == [("user", "lives_in", "Oslo", "assert")]
    assert said(pack, "I ran a race") == [("user", "did", "ran a race", "assert")]


@pytest.mark.parametrize(
    ("changes", "of_rule", "told", "reason"),
    [
        ({"tidy": {"refuse": [r"^\d+$"]}}, {}, "I moved to 42", "the cleaning rejects the object '42'"),
        ({}, {"refuse": "^42$"}, "I moved to 42", "the cleaning rejects the object '42'"),
        ({}, {"unless": r"\?"}, "I moved to 42?", "its `unless` matches, too"),
        ({"guards": GUARDS}, {}, "I moved to 42 not long ago", "a guard stops the rule: denial"),
        ({}, {"roles": ["assistant"]}, "I moved to 42", "the rule does not read this role, kind or metadata"),
    ],
)
def test_a_failed_case_says_what_stopped_a_rule_whose_words_match(
    tmp_path: Path, changes: dict[str, Any], of_rule: dict[str, Any], told: str, reason: str
) -> None:
    case = {"it": "moves", "episodes": [told], "believe": ["user lives_in 42"]}
    pack = load_pack(written(tmp_path, manifest(rules=[rule(**of_rule)], **changes), [case]))

    (failed,) = pack.failures()

    assert str(failed).startswith(f"moves: missing: user lives_in 42; odd/moved-home@1 matches {told!r}, but {reason}")


@pytest.mark.parametrize(
    ("belief", "reason"),
    [
        ("user lives_in Oslo", "the `when` of odd/moved-home@1 matches no clause of the episodes"),
        ("user livs_in Oslo", "no rule claims 'livs_in', did you mean lives_in?"),
        ("user x Oslo", "no rule claims a predicate of this belief"),
    ],
)
def test_a_failed_case_says_why_no_rule_could_make_its_belief(tmp_path: Path, belief: str, reason: str) -> None:
    case = {"it": "moves", "episodes": ["I went to Oslo"], "believe": [belief]}

    (failed,) = load_pack(written(tmp_path, manifest(), [case])).failures()

    assert str(failed) == f"moves: missing: {belief}; {reason}"


PARTS = st.sampled_from(
    sorted(
        these(
            """a ago an any by day DAYS few i'm In it last lunch Me me- 3 month my next night of on Sun sunday the they
    this two
    weeks Yesterday couple team's is \u0131 week\u017f na\u00efve \u0663"""
        )
    )
)
BETWEEN = st.sampled_from([" ", "  ", ", ", "-", "_", "'", "\n", ""])
TEXTS = st.lists(st.tuples(PARTS, BETWEEN), max_size=8).map(lambda each: "".join(map("".join, each)))


@pytest.mark.parametrize(
    ("found", "quick_test"),
    [
        (finding._PHRASE, finding._PHRASES),
        (sentences._LEANS, sentences._MAY_LEAN),
        (statement_claims._FILLED, statement_claims._MAY_BE_FILLED),
    ],
    ids=["days", "leaning", "slots"],
)
@given(text=TEXTS)
def test_a_glance_never_rejects_a_text_that_matches(found: re.Pattern[str], quick_test: QuickTest, text: str) -> None:
    assert quick_test.in_(text) or found.search(text) is None
    assert [one.span() for one in quick_test.finditer(text)] == [one.span() for one in found.finditer(text)]


def test_a_glance_skips_texts_without_a_match() -> None:
    assert not finding._PHRASES.in_("the dark months of a long day")
    assert not sentences._MAY_LEAN.in_("Nora likes green tea")
    assert QuickTest(re.compile("tea", re.IGNORECASE)).in_("Nora likes green TEA")
