"""Reploid: a session of more than a hundred turns loses nothing, and its end is remembered as well as its beginning."""

import statistics
import uuid

import pytest

from slowwave.cli.bench.session import MAX_TOKENS, SESSION, found_again, live
from slowwave.cli.bench.session_talk import talk
from slowwave.memory import Memory
from slowwave.memory.verb_group import parts_of


@pytest.mark.requirement("S1.47", "S1.48", "S1.49", "S1.54", "S1.55", "S1.56")
def test_all_turns_of_a_session_of_120_turns_stay_recallable(mindful: Memory) -> None:
    alice = mindful.scope(f"alice-{uuid.uuid4().hex[:8]}", agent="concierge")
    lived = live(parts_of(mindful), alice, list(talk(120)))
    mindful.drain()

    limits = alice.working(SESSION).limits
    assert (lived.turns <= limits.turns, lived.tokens <= limits.tokens) == (True, True)
    assert lived.budgets <= MAX_TOKENS
    assert len(lived.evicted) > 30
    assert found_again(alice, lived.evicted) == 1.0
    likeness = [one.likeness for one in lived.questions if one.evicted]
    assert len(likeness) > 5
    assert statistics.fmean(likeness) > 0.9
    assert statistics.fmean(one.at_hand for one in lived.questions) > 0.5
    third = len(likeness) // 3
    assert statistics.fmean(likeness[-third:]) >= statistics.fmean(likeness[:third]) - 0.01
