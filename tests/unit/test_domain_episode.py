"""Episodes: invalid input is refused with all problems at once."""

import json
import math
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.domain.episode import EARLIEST, LATEST, Episode
from slowwave.domain.limits import CONTENT_BYTES, METADATA_BYTES, METADATA_DEPTH
from slowwave.errors import Incorrect
from tests.unit.tables import over

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "é"]), inner, max_size=3),
    max_leaves=8,
)


def refused(said: Any) -> Incorrect:
    """Return the error of a text, a mapping or an episode that is no episode."""
    with pytest.raises(Incorrect) as refusal:
        Episode.read(said)
    return refusal.value


def problems(**said: Any) -> tuple[str, ...]:
    """Return the problems of an episode with these fields."""
    with pytest.raises(Incorrect) as refusal:
        Episode(**said)
    return refusal.value.problems


def nested(depth: int) -> dict[str, Any]:
    """Return metadata of *depth* levels."""
    value: dict[str, Any] = {}
    for _ in range(depth - 1):
        value = {"a": value}
    return value


@over(
    [
        ({"content": 7}, "content: expected text, got 7"),
        ({"content": None}, "content: expected text, got None"),
        ({"content": b"hello"}, "content: expected text, got bytes"),
        ({"content": ""}, "content: is empty"),
        ({"content": " \n\t"}, "content: is empty"),
        ({"content": "a\0b"}, "content: contains a NUL character"),
        ({"role": "alien"}, "role: expected 'user', 'assistant', 'system' or 'tool', got 'alien'"),
        ({"when": "now"}, "when: is not known"),
        ({"key": ""}, "key: is empty"),
        ({"key": "k" * 256}, "key: has 256 characters, at most 255 are allowed"),
        ({"session": "s\u200d"}, "session: contains invisible characters"),
        ({"session": "e\u0301"}, "session: is not normalised (use Unicode NFC)"),
        ({"occurred_at": datetime(2026, 3, 2)}, "occurred_at: has no time zone"),  # noqa: DTZ001  # the bad input
        (
            {"occurred_at": datetime(999, 1, 1, tzinfo=UTC)},
            "occurred_at: lies outside the years 1000 to 9000",
        ),
        (
            {"occurred_at": datetime.max.replace(tzinfo=UTC)},
            "occurred_at: lies outside the years 1000 to 9000",
        ),
        ({"occurred_at": "infinity"}, "occurred_at: expected a time, got text"),
        ({"occurred_at": 1_772_000_000}, "occurred_at: expected a time, got 1772000000"),
        ({"metadata": [1]}, "metadata: expected an object, got a list"),
        ({"metadata": {"a": {"b": ["ok", "\0"]}}}, "metadata: a.b.1: contains a NUL character"),
        ({"metadata": {"a": "\udc80"}}, "metadata: a: contains a lone surrogate"),
        ({"metadata": {"\0": 1}}, "metadata: a key contains a NUL character"),
        ({"metadata": {"a": math.nan}}, "metadata: a: is not a finite number"),
        ({"metadata": {"a": [-math.inf]}}, "metadata: a.0: is not a finite number"),
        ({"metadata": {"a": 2**63}}, "metadata: a: does not fit 64 bits"),
        ({"metadata": {"a": {1}}}, "metadata: a: is not a JSON value (set)"),
        ({"metadata": {"a": NOON}}, "metadata: a: is not a JSON value (datetime)"),
        ({"metadata": {"a": {1: 2}}}, "metadata: a: has a key that is not text"),
    ]
)
def test_bad_input_is_refused_by_name_and_reason(said: dict[str, Any], problem: str) -> None:
    assert problems(**{"content": "x", **said}) == (problem,)


def test_a_missing_content_or_a_lone_surrogate_in_it_is_refused() -> None:
    assert problems() == ("content: is missing",)
    assert [problem.split(":")[0] for problem in problems(content="a\ud800")] == ["content"]


def test_all_problems_of_an_episode_are_reported_at_once() -> None:
    found = problems(
        content=" \0", key="", session=" s", role="alien", metadata={"a": "\0", "b": math.inf}, colour="red"
    )

    assert sorted(found) == sorted(
        [
            "content: contains a NUL character",
            "key: is empty",
            "session: begins or ends with white space",
            "role: expected 'user', 'assistant', 'system' or 'tool', got 'alien'",
            "metadata: a: contains a NUL character",
            "metadata: b: is not a finite number",
            "colour: is not known",
        ]
    )


def test_content_is_measured_in_bytes() -> None:
    assert Episode(content="é" * (CONTENT_BYTES // 2)).content
    assert problems(content="é" * (CONTENT_BYTES // 2) + "a") == (
        f"content: has {CONTENT_BYTES + 1} bytes, at most {CONTENT_BYTES} are allowed",
    )


def test_metadata_is_measured_in_bytes() -> None:
    room = METADATA_BYTES - len(json.dumps({"a": ""}))

    assert Episode(content="x", metadata={"a": "é" * (room // 2)}).metadata
    assert problems(content="x", metadata={"a": "a" * (room + 1)}) == (
        f"metadata: has {METADATA_BYTES + 1} bytes, at most {METADATA_BYTES} are allowed",
    )


def test_the_depth_of_metadata_is_limited() -> None:
    assert Episode(content="x", metadata=nested(METADATA_DEPTH)).metadata
    for depth in (METADATA_DEPTH + 1, 50_000):
        assert problems(content="x", metadata=nested(depth)) == (f"metadata: is nested deeper than {METADATA_DEPTH}",)


@pytest.mark.parametrize("occurred", [EARLIEST, LATEST, NOON.astimezone(timezone(timedelta(hours=5, minutes=45)))])
def test_a_time_with_a_zone_is_accepted(occurred: datetime) -> None:
    assert Episode(content="x", occurred_at=occurred).occurred_at == occurred


def test_episodes_without_a_key_get_different_keys() -> None:
    assert Episode(content="x").key != Episode(content="x").key


def test_an_episode_cannot_be_edited() -> None:
    episode = Episode(content="x")

    with pytest.raises(Incorrect, match="content: an episode is immutable"):
        episode.content = "y"  # type: ignore[misc]  # the mistake under test
    with pytest.raises(Incorrect, match="content"):
        del episode.content
    assert episode.content == "x"


def test_an_unchecked_model_copy_is_validated_again() -> None:
    for spoilt, problems in (
        (Episode.model_construct(content=3), ("content: expected text, got 3",)),  # type: ignore[arg-type]
        (Episode.model_construct(), ("content: is missing",)),  # type: ignore[call-arg]
        (
            Episode(content="x").model_copy(update={"key": "\0", "occurred_at": "now"}),
            ("key: contains a NUL character", "occurred_at: expected a time, got text"),
        ),
    ):
        assert refused(spoilt).problems == problems
    sound = Episode(content="x", speaker="Nora")
    assert Episode.read(sound) == sound


@pytest.mark.parametrize(
    "other",
    [
        {"content": "y"},
        {"content": "x "},
        {"session": "s2"},
        {"role": "assistant"},
        {"kind": "outcome"},
        {"occurred_at": NOON + timedelta(microseconds=1)},
        {"occurred_at": None},
        {"metadata": {"a": 1, "b": [2, 1]}},
        {"metadata": {"a": "1", "b": [1, 2]}},
    ],
)
def test_the_digest_differs_when_anything_said_differs(other: dict[str, Any]) -> None:
    said: dict[str, Any] = {"content": "x", "occurred_at": NOON, "metadata": {"a": 1, "b": [1, 2]}}

    assert Episode(**said).digest != Episode(**(said | other)).digest


def test_the_digest_does_not_depend_on_key_order_or_time_zone() -> None:
    there = NOON.astimezone(timezone(timedelta(hours=-7)))
    one = Episode(content="x", key="k1", occurred_at=NOON, metadata={"a": 1, "b": {"c": 2, "d": 3}})
    other = Episode(content="x", key="k2", occurred_at=there, metadata={"b": {"d": 3, "c": 2}, "a": 1})

    assert one.digest == other.digest
    assert len(one.digest) == 32


@given(st.dictionaries(st.sampled_from(["a", "b", "é"]), JSON, max_size=3))
def test_an_episode_is_read_back_unchanged_from_its_message(metadata: dict[str, Any]) -> None:
    episode = Episode(content="I moved to Oslo", key="k", occurred_at=NOON, metadata=metadata)

    again = Episode.from_message(json.loads(json.dumps(episode.to_message())))

    assert again == episode
    assert again.digest == episode.digest


def test_an_invalid_time_is_refused_with_all_other_problems() -> None:
    with pytest.raises(Incorrect) as refusal:
        Episode.from_message({"content": "", "occurred_at": "tomorrow"})

    assert refusal.value.problems == ("content: is empty", "occurred_at: expected a time, got text")


@pytest.mark.parametrize(
    ("metadata", "speaker"), [({"speaker": "Ann"}, "Ann"), ({}, None), ({"speaker": " "}, None), ({"speaker": 7}, None)]
)
def test_the_metadata_can_name_the_speaker(metadata: dict[str, Any], speaker: str | None) -> None:
    assert Episode(content="x", metadata=metadata).speaker == speaker


def test_a_speaker_as_field_or_as_metadata_gives_the_same_digest() -> None:
    field, noted, both = (
        Episode(content="x", speaker="Ann"),
        Episode(content="x", metadata={"speaker": "Ann"}),
        Episode(content="x", speaker="Ann", metadata={"speaker": "Ann"}),
    )

    assert field.digest == noted.digest == both.digest
    assert field.digest != Episode(content="x").digest


def test_two_speakers_of_one_episode_are_refused() -> None:
    assert problems(content="x", speaker="Ann", metadata={"speaker": "Bob"}) == (
        "speaker: is 'Ann' here and 'Bob' in the metadata",
    )


def test_a_turn_with_calls_of_tools_and_no_text_is_an_episode() -> None:
    calls = [{"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}]

    asked = Episode.read({"role": "assistant", "content": None, "tool_calls": calls})
    answered = Episode.read({"role": "tool", "content": "12 degrees", "tool_call_id": "call_1"})

    assert json.loads(asked.content) == {"tool_calls": calls}
    assert (answered.content, answered.metadata) == ("12 degrees", {"tool_call_id": "call_1"})


@pytest.mark.parametrize("said", [{"content": None}, {"content": None, "tool_calls": None}, {"tool_call_id": "c"}])
def test_a_turn_without_text_and_calls_is_refused(said: dict[str, Any]) -> None:
    assert refused(said).problems


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"tool_calls": 7}, "tool_calls: expected a list of objects, got 7"),
        ({"tool_calls": {"a": 1}}, "tool_calls: expected a list of objects, got an object"),
        ({"tool_calls": [{}, "x"]}, "tool_calls.1: expected an object, got text"),
        ({"tool_call_id": 7}, "tool_call_id: expected text, got 7"),
        ({"tool_call_id": "a", "metadata": {"tool_call_id": "b"}}, "tool_call_id: is 'a' here and 'b' in the metadata"),
    ],
)
def test_calls_of_another_type_are_refused_with_everything_else(said: dict[str, Any], problem: str) -> None:
    found = refused({"content": "Look", "role": "alien", **said}).problems

    assert problem in found
    assert any(each.startswith("role: ") for each in found)
    assert len(found) == 2


@pytest.mark.parametrize(
    ("fields", "metadata"),
    [
        ({"tool_calls": None, "tool_call_id": None}, {}),
        ({"tool_calls": [{"id": "a"}], "metadata": {"n": 1}}, {"n": 1, "tool_calls": [{"id": "a"}]}),
    ],
)
def test_an_episode_keeps_its_text_and_its_tool_calls(fields: dict[str, Any], metadata: dict[str, Any]) -> None:
    said = Episode.read({"content": "Let me look", **fields})

    assert (said.content, said.metadata) == ("Let me look", metadata)


@pytest.mark.parametrize("said", [{f"k{number}": 1 for number in range(150_000)}, dict.fromkeys(range(150000), 1)])
def test_only_fifty_unknown_fields_are_named(said: dict[Any, Any]) -> None:
    found = refused({"content": "x", **said}).problems
    assert (len(found), found[-1]) == (51, "and 149950 more")


def test_an_error_message_shortens_a_long_field_name() -> None:
    assert len(refused({"content": "x", "y" * 2_000_000: 1}).message) < 500


@pytest.mark.parametrize("field", ["metadata", "speaker", "role", "content", "tool_calls"])
def test_a_deeply_shared_value_is_refused_without_expansion(field: str) -> None:
    folded: Any = {}
    for _ in range(60):
        folded = {"a": folded, "b": [folded]}
    said = {"content": "x", "metadata": {"speaker": folded}, "speaker": "Nora", **{field: folded}}

    assert len(refused(said).message) < 1_000


@pytest.mark.parametrize("wrong", [math.nan, object()], ids=["no number", "no JSON"])
def test_metadata_changed_to_invalid_values_are_refused(wrong: object) -> None:
    episode = Episode(content="x", metadata={"a": 1})
    episode.metadata["a"] = wrong

    with pytest.raises(Incorrect, match="metadata: a: is not"):
        Episode.read(episode)


@pytest.mark.parametrize(
    ("speaker", "problem"),
    [
        ("A" * 256, "speaker: has 256 characters, at most 255 are allowed"),
        ("Ann\nBob", "speaker: contains control characters"),
    ],
)
def test_an_invalid_speaker_is_refused(speaker: str, problem: str) -> None:
    for said in ({"speaker": speaker}, {"metadata": {"speaker": speaker}}):
        assert refused({"content": "x", **said}).problems == (problem,)
