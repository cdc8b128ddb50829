"""A delta is one of four things, and says why."""

from datetime import UTC, datetime
from typing import Any

import pytest

from slowwave.domain.delta import AddDelta, DeleteDelta, NoopDelta, UpdateDelta, parse_delta
from slowwave.errors import Incorrect

WHY: dict[str, Any] = {
    "source_episode_ids": ["e1"],
    "promotion_ts": datetime(2026, 3, 2, 12, tzinfo=UTC),
    "rule_id": "moved-home",
    "confidence": 0.95,
}
FACT = {"subject": "user", "predicate": "lives_in", "object": "Oslo"}
GOOD: list[tuple[dict[str, Any], type]] = [
    ({"kind": "add", "fact_payload": FACT}, AddDelta),
    ({"kind": "update", "fact_payload": FACT, "replaces": ["f1"]}, UpdateDelta),
    ({"kind": "delete", "replaces": ["f1"]}, DeleteDelta),
    ({"kind": "noop", "reason": "already known"}, NoopDelta),
]


@pytest.mark.parametrize(("said", "kind"), GOOD)
def test_a_dumped_delta_is_read_back_unchanged(said: dict[str, Any], kind: type) -> None:
    delta = parse_delta(WHY | said)

    assert type(delta) is kind
    assert parse_delta(delta.model_dump()) == delta


@pytest.mark.parametrize("missing", sorted(WHY))
@pytest.mark.parametrize(("said", "kind"), GOOD)
def test_a_delta_without_a_reason_field_is_refused(said: dict[str, Any], kind: type, missing: str) -> None:
    with pytest.raises(Incorrect, match="is missing"):
        parse_delta({name: value for name, value in (WHY | said).items() if name != missing})


@pytest.mark.parametrize(
    "bad",
    [
        {"kind": "merge"},
        {"kind": "update", "fact_payload": FACT},
        {"kind": "update", "fact_payload": FACT, "replaces": []},
        {"kind": "delete", "replaces": []},
        {"kind": "add"},
        {"kind": "noop", "confidence": 1.01},
        {"kind": "noop", "confidence": -0.01},
        {"kind": "noop", "confidence": float("nan")},
        {"kind": "noop", "promotion_ts": "2026-03-02T12:00:00"},
        {"kind": "noop", "rule_id": ""},
        {"kind": "noop", "colour": "red"},
    ],
)
def test_an_invalid_delta_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(Incorrect):
        parse_delta(WHY | bad)
