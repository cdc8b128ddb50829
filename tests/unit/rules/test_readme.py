"""What a pack may say is written down: every field of it."""

import re
from pathlib import Path

import pytest

from slowwave.rules import load_pack
from slowwave.rules.cadence import Cadence, SemanticShift
from slowwave.rules.case import Case, Told
from slowwave.rules.pack_schema import (
    ClaimPart,
    CodedPart,
    GuardPart,
    OwnPart,
    PackPart,
    ProgramPart,
    RulePart,
    TidyPart,
    TimePart,
    TurnPart,
)
from slowwave.rules.predicates import PredicatePart

README = Path(__file__).parents[3] / "rules" / "README.md"
PARTS = [
    PackPart, CodedPart, ProgramPart, OwnPart, RulePart, ClaimPart, TimePart, GuardPart, TurnPart, TidyPart,
    PredicatePart, Cadence, SemanticShift, Case, Told,
]  # fmt: skip


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_every_field_of_a_pack_is_in_its_readme(part: type) -> None:
    named = set(re.findall(r"`(\w+)`", README.read_text()))

    assert set(part.model_fields) - named == set()  # type: ignore[attr-defined]


def test_the_pack_in_the_readme_holds(tmp_path: Path) -> None:
    folder = tmp_path / "answers"
    folder.mkdir()
    for name, text in re.findall(
        r"```\w+\n# (pack.yaml|reader.py|cases.yaml)\n(.*?)```", README.read_text(), re.DOTALL
    ):
        (folder / name).write_text(text)
    pack = load_pack(folder)

    assert (pack.engine, len(pack.cases), pack.failures()) == ("python", 2, [])
