"""What a pack may say is written down: every field of it."""

import re
from pathlib import Path

import pytest

from slowwave.rules.cadence import Cadence, SemanticShift
from slowwave.rules.case import Case, Told
from slowwave.rules.pack_schema import ClaimPart, GuardPart, OwnPart, PackPart, RulePart, TidyPart, TimePart, TurnPart
from slowwave.rules.predicates import PredicatePart

README = Path(__file__).parents[3] / "rules" / "README.md"
PARTS = [
    PackPart, OwnPart, RulePart, ClaimPart, TimePart, GuardPart, TurnPart, TidyPart, PredicatePart, Cadence,
    SemanticShift, Case, Told,
]  # fmt: skip


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_every_field_of_a_pack_is_in_its_readme(part: type) -> None:
    named = set(re.findall(r"`(\w+)`", README.read_text()))

    assert set(part.model_fields) - named == set()  # type: ignore[attr-defined]
