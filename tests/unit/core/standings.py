"""Standings for tests: a strategy, and a default."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from slowwave.core.decay import DecayRule
from slowwave.domain.standing import Standing

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
SECOND, MINUTE, HOUR, DAY = (timedelta(seconds=n) for n in (1, 60, 3_600, 86_400))


def standing(**fields: Any) -> Standing:
    """Return the standing of a stated fact of noon; *fields* are its own."""
    return replace(Standing("semantic", "stated", "warm", 0.9, NOON), **fields)


def after(seconds: float) -> datetime:
    """Return noon plus so many seconds."""
    return NOON + timedelta(seconds=seconds)


_SHARES = st.floats(0, 1)
_AGES = st.floats(0, 4e8)


@st.composite
def rules(draw: st.DrawFn) -> DecayRule:
    """Draw a valid rule that applies to every memory."""
    gate = draw(st.floats(0, 1e6))
    rule = DecayRule(
        half_life_seconds=draw(st.floats(60, 1e7)),
        anchor=draw(st.sampled_from(("created", "last_access", "reinforced"))),
        gate=timedelta(seconds=gate),
        shift=timedelta(seconds=draw(st.floats(0, gate))),
        per_access=draw(st.floats(0, 2)),
        per_importance=draw(st.floats(0, 2)),
        stretch=draw(st.floats(1, 1.5)),
        floor=draw(st.floats(0, 0.3)),
        familiarity=draw(st.sampled_from((0.0, 0.1))),
        freshness=draw(st.sampled_from((0.0, 0.2))),
        forget_below=draw(st.floats(0, 1)),
    )
    assert rule.problems() == []
    return rule


@st.composite
def standings(draw: st.DrawFn, tiers: tuple[str, ...] = ("warm",)) -> Standing:
    """Draw a memory of noon that was used, confirmed and moved at any later time."""
    accesses = sorted(draw(st.lists(_AGES, max_size=8)))
    moments = st.none() | _AGES.map(after)
    return standing(
        kind=draw(st.sampled_from(("semantic", "entity", "episodic"))),
        source=draw(st.sampled_from(("stated", "inferred"))),
        tier=draw(st.sampled_from(tiers)),
        base=draw(_SHARES),
        last_access=after(accesses[-1]) if accesses else None,
        reinforced=draw(moments),
        access_count=len(accesses) + (draw(st.integers(0, 5_000)) if accesses else 0),
        accesses=tuple(after(each) for each in accesses),
        surprise=draw(_SHARES),
        successes=draw(st.integers(0, 4)),
        evidence=after(accesses[-1]) if accesses else draw(moments),
        moved=draw(moments),
    )
