"""The statements that the source documents require, from the list in the checkout."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from slowwave.errors import Incorrect, NotFound

LIST = Path("tests", "conformance", "requirements.yaml")


@dataclass(frozen=True, slots=True)
class Statement:
    """One requirement, as a statement of a source document in its words.

    A *background* statement requires no code; *later* names the work that will cover the statement; *lacks* is the
    reason why a due statement has no test.
    """

    id: str
    says: str
    background: bool = False
    later: str = ""
    lacks: str = ""

    @property
    def document(self) -> str:
        """The document's short name."""
        return self.id.partition(".")[0]

    @property
    def due(self) -> bool:
        """True if a test must cover the statement: it requires code and is not planned for later."""
        return not (self.background or self.later)

    @property
    def excused(self) -> str:
        """The reason why no test needs to cover the statement; empty if a test must."""
        if self.background:
            return "is background"
        return f"is left to {self.later}" if self.later else self.lacks and f"lacks {self.lacks}"


def statements(checkout: Path) -> tuple[dict[str, str], dict[str, Statement]]:
    """Return the documents' names by short name, and their statements by id.

    Raises `NotFound` where there is no list, as in a wheel, and `Incorrect` for a statement of no document.
    """
    listed = checkout / LIST
    if not listed.is_file():
        raise NotFound(
            "the list of requirements and the tests that carry them are not part of the installed library",
            hint="run this in a checkout of the project",
        )
    written: Mapping[str, dict[str, Mapping[str, str]]] = yaml.safe_load(listed.read_text(encoding="utf-8"))
    every = [Statement(id_, **fields) for one in written.values() for id_, fields in one["statements"].items()]  # type: ignore[arg-type]  # as YAML has them
    if strays := [f"{one.id} belongs to no document" for one in every if one.document not in written]:
        raise Incorrect.listing(str(LIST), strays)
    return {short: str(one["document"]) for short, one in written.items()}, {one.id: one for one in every}
