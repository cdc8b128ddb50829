"""Scopes and deltas as values."""

import unicodedata
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.domain.delta import parse_delta
from slowwave.domain.limits import BIDI, ZERO_WIDTH, name_problems
from slowwave.domain.scope import GLOBAL_CHANNEL, SYSTEM_TENANT, Scope
from slowwave.errors import Incorrect
from tests.unit.tables import over, table

ROWS = table(__file__)

NAMES = (
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20)
    .map(lambda text: unicodedata.normalize("NFC", text).strip())
    .filter(lambda name: not name_problems(name) and name != SYSTEM_TENANT)
)
TRICKY = st.sampled_from(
    ["a", "/", "%", "%2F", "a/b", "user", "_global", ".", "..", "\\", "'", "é", "50%/", "%00", "?#"]
)
SCOPES = st.builds(Scope, NAMES | TRICKY, NAMES | TRICKY, NAMES | TRICKY, NAMES | TRICKY)
PARTS = ("tenant", "user", "agent", "channel")


@given(SCOPES)
def test_a_scope_is_read_back_from_its_key(scope: Scope) -> None:
    assert Scope.parse(scope.key) == scope


@given(SCOPES, SCOPES)
def test_different_scopes_have_different_ids_and_keys(one: Scope, other: Scope) -> None:
    assert (one == other) == (one.id == other.id) == (one.key == other.key)


@given(SCOPES, SCOPES)
def test_no_scope_key_is_a_prefix_of_another(one: Scope, other: Scope) -> None:
    assert one == other or not one.key.startswith(other.key)


@pytest.mark.parametrize(("one", "other"), ROWS["similar_names_make_different_scopes"])
def test_similar_names_make_different_scopes(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    first, second = (Scope(*(part or GLOBAL_CHANNEL for part in parts)) for parts in (one, other))

    assert first.id != second.id
    assert first.key != second.key
    assert not second.key.startswith(first.key)


def test_an_id_is_the_same_on_every_machine() -> None:
    assert str(Scope("default", "Alice", "rag").id) == "f304cbad-7f73-56fe-b2ab-4ee5898db052"


def test_separators_and_percent_signs_are_escaped_in_the_key() -> None:
    assert Scope("t", "50%/day", "a b").key == "/tenant/t/user/50%25%2Fday/agent/a%20b/channel/_global/"


def test_a_scope_without_a_channel_uses_the_global_channel() -> None:
    assert Scope("t", "u", "a") == Scope("t", "u", "a", GLOBAL_CHANNEL)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "is empty"),
        ("a\0b", "contains a NUL character"),
        ("a\ud800", "contains a lone surrogate"),
        ("a" * 256, "has 256 characters, at most 255 are allowed"),
        (" a", "begins or ends with white space"),
        ("a\u00a0", "begins or ends with white space"),
        ("a\nb", "contains control characters"),
        ("a\u200bb", "contains invisible characters"),
        ("a\u202eb", "contains invisible characters"),
        ("A\u030a", "is not normalised (use Unicode NFC)"),
        ("\u212b", "is not normalised (use Unicode NFC)"),
    ],
)
@pytest.mark.parametrize("part", PARTS)
def test_an_ambiguous_name_is_refused(part: str, name: str, problem: str) -> None:
    names = dict.fromkeys(PARTS, "a") | {part: name}

    with pytest.raises(Incorrect) as refusal:
        Scope(**names)

    assert refusal.value.problems == (f"{part}: {problem}",)


@over(sorted(ZERO_WIDTH | BIDI))
def test_each_invisible_character_is_refused(character: str) -> None:
    assert name_problems(f"a{character}b") == ["contains invisible characters"]


def test_a_name_of_255_four_byte_characters_is_allowed() -> None:
    assert Scope("t", "\U0001f600" * 255, "a").user == "\U0001f600" * 255


def test_all_problems_of_a_scope_are_reported_at_once() -> None:
    with pytest.raises(Incorrect) as refusal:
        Scope("_system", "", " a\0", "c\u200b")

    assert refusal.value.problems == (
        "user: is empty",
        "agent: contains a NUL character",
        "agent: begins or ends with white space",
        "channel: contains invisible characters",
        "tenant: '_system' is reserved for the installation",
    )
    assert str(refusal.value).splitlines()[0] == "scope has 5 problems:"


@over(ROWS["an_invalid_scope_key_is_refused"])
def test_an_invalid_scope_key_is_refused(key: str) -> None:
    with pytest.raises(Incorrect):
        Scope.parse(key)


WHY: dict[str, Any] = {
    "source_episode_ids": ["e1"],
    "promotion_ts": datetime(2026, 3, 2, 12, tzinfo=UTC),
    "rule_id": "moved-home",
    "confidence": 0.95,
}


@pytest.mark.parametrize("bad", ROWS["invalid_deltas"])
def test_an_invalid_delta_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(Incorrect):
        parse_delta(WHY | bad)
