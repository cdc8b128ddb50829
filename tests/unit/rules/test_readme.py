"""What a pack may say is written down: every field of it."""

import json
import re
from pathlib import Path

import pytest
from pydantic import BaseModel

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

TABLES: dict[str, type[BaseModel]] = {
    "A rule": RulePart,
    "A claim": ClaimPart,
    "A date": TimePart,
    "A guard": GuardPart,
    "A turn": TurnPart,
    "The cleaning of objects": TidyPart,
}
"""The sections that tell the fields of a part, one a row: field, type, default, meaning."""


def told(page: str, section: str) -> dict[str, str]:
    """Return the default that a section of the page tells for each field, by the first cell of its row."""
    text = page.partition(f"\n### {section}\n")[2].partition("\n##")[0]
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \| [^|]+ \|$", text, re.MULTILINE)
    return {field: default.strip("`") for field, default in rows}


def defaults(part: type[BaseModel]) -> dict[str, str]:
    """Return the default of each field of a part, as YAML writes it."""
    return {
        name: "required"
        if field.is_required()
        else "none"
        if (value := field.get_default(call_default_factory=True)) is None
        else value
        if isinstance(value, str)
        else json.dumps(value).replace('"', "")
        for name, field in part.model_fields.items()
    }


@pytest.mark.parametrize("section", TABLES)
def test_each_field_has_its_row_with_its_default(section: str) -> None:
    assert told(README.read_text(), section) == defaults(TABLES[section])


def test_a_field_without_its_row_and_a_wrong_default_are_seen() -> None:
    page = README.read_text().replace("| `within` | sentence, clause | `clause`", "| `within` | sentence | `sentence`")
    page = page.replace("| `roles` |", "| roles |")

    assert told(page, "A guard") != defaults(GuardPart)
    assert defaults(RulePart).keys() - told(page, "A rule").keys() == {"roles"}


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
