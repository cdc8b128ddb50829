"""Beliefs after somebody reports a change: ended ones end, others stay."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from slowwave.core.fold import Fold
from slowwave.domain.claim import Claim
from slowwave.rules import default_roots, load_pack
from tests.unit.rules.rulepacks import NINE, episode

PACK = load_pack(default_roots()[0] / "everyday")
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
