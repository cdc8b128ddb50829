"""Every field of a pack is documented."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from slowwave.rules import load_pack
from slowwave.rules.cadence import Cadence, SemanticShift
from slowwave.rules.cases import Case, CaseMessage
from slowwave.rules.model_packs.pack import ReadCase
from slowwave.rules.pack_schema import (
    ClaimPart,
    CodedPart,
    GuardPart,
    ManifestPart,
    OwnPart,
    PackPart,
    ProgramPart,
    RulePart,
    TidyPart,
    TimePart,
    TurnPart,
)
from slowwave.rules.predicates import PredicatePart
from tests.unit.tables import over

README = Path(__file__).parents[3] / "rules" / "README.md"
TABLES: dict[str, Sequence[type[BaseModel]]] = {
    "pack.yaml": [PackPart],
    "A cadence": [Cadence],
    "A semantic shift": [SemanticShift],
    "A rule": [RulePart],
    "A claim": [ClaimPart],
    "A date": [TimePart],
    "A guard": [GuardPart],
    "A turn": [TurnPart],
    "The cleaning of objects": [TidyPart],
    "Fields of one engine": [CodedPart, ProgramPart, OwnPart],
    "Predicates": [PredicatePart],
    "A case": [Case, ReadCase],
    "An episode of a case": [CaseMessage],
}
"""The sections with tables of fields, of one part or of parts of several engines: type, default, meaning."""


def told(page: str, section: str) -> dict[str, str]:
    """Return the documented default of each field in a section, by the first cell of its row."""
    text = re.split(rf"^###? {section}$", page, flags=re.MULTILINE)[1].partition("\n##")[0]
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \| [^|]+ \|$", text, re.MULTILINE)
    return {field: default.strip("`") for field, default in rows}


def defaults(*parts: type[BaseModel]) -> dict[str, str]:
    """Return the default of each field of *parts* in YAML; for several engines without their common fields."""
    common = ManifestPart.model_fields.keys() if len(parts) > 1 and issubclass(parts[0], ManifestPart) else set[str]()
    fields = {name: field for part in parts for name, field in part.model_fields.items() if name not in common}
    return {name: "required" if field.is_required() else written(field) for name, field in fields.items()}


def written(field: FieldInfo) -> str:
    """Return the default of a field in YAML; `{}` for a part whose fields have their own table."""
    value = field.get_default(call_default_factory=True)
    if value is None or isinstance(value, str):
        return value or "none"
    return "{}" if isinstance(value, BaseModel) else json.dumps(value).replace('"', "")


@over(TABLES)
def test_each_field_has_its_row_with_its_default(section: str) -> None:
    assert told(README.read_text(), section) == defaults(*TABLES[section])


def test_a_missing_field_and_a_wrong_default_are_found() -> None:
    page = README.read_text().replace("| `within` | sentence, clause | `clause`", "| `within` | sentence | `sentence`")
    page = page.replace("| `roles` |", "| roles |")

    assert told(page, "A guard") != defaults(GuardPart)
    assert defaults(RulePart).keys() - told(page, "A rule").keys() == {"roles"}


def test_the_pack_in_the_readme_passes_its_cases(tmp_path: Path) -> None:
    folder = tmp_path / "answers"
    folder.mkdir()
    for name, text in re.findall(
        r"```\w+\n# (pack.yaml|reader.py|cases.yaml)\n(.*?)```", README.read_text(), re.DOTALL
    ):
        (folder / name).write_text(text)
    pack = load_pack(folder)

    assert (pack.engine, len(pack.cases), pack.failures()) == ("python", 2, [])
