"""The drawing of the contributors' page shows every part of the library, in the order of the import layers."""

import re
import tomllib

from tests.architecture.trees import ROOT

LIBRARY = ROOT / "shared" / "slowwave"
PAGE = (ROOT / "ops" / "CONTRIBUTING.md").read_text(encoding="utf-8")
NOT_LAYERED = {"samples"}
"""Data, which imports nothing."""


def drawn(page: str) -> list[str]:
    """Return the parts of the library from top to bottom, as the drawing shows them."""
    box = page.partition("┌─ the library")[2].partition("└")[0]
    return [name for row in re.findall(r"^│ (.{28})", box, re.MULTILINE) for name in re.findall(r"\w+", row)]


def layers() -> dict[str, int]:
    """Return the layer of each part of the library, counted from the top, as the import contract sets it."""
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (found,) = [contract["layers"] for contract in linter["contracts"] if contract["id"] == "layers"]
    return {name: depth for depth, layer in enumerate(found) for name in re.findall(r"\w+", layer)}


def misplaced(page: str) -> list[str]:
    """Return the parts that the drawing omits, adds, or shows below a part of a deeper layer."""
    shown, depth = drawn(page), layers()
    depths = [depth[name] for name in shown if name in depth]
    return sorted(set(shown) ^ (depth.keys() | NOT_LAYERED)) + ([] if depths == sorted(depths) else ["order"])


def test_the_drawing_shows_each_part_in_its_layer() -> None:
    assert misplaced(PAGE) == []


def test_an_omitted_and_a_misplaced_part_are_found() -> None:
    assert misplaced(PAGE.replace("│ subscriptions ", "│               ")) == ["subscriptions"]
    moved = PAGE.replace("│ sandbox ", "│ upper   ").replace("│ core    ", "│ sandbox ")
    swapped = moved.replace("│ upper ", "│ core  ")
    assert misplaced(swapped) == ["order"]


def test_each_single_module_has_a_reason() -> None:
    table = PAGE.partition("| module | why")[2].partition("\n\n")[0]
    modules = {path.stem for path in LIBRARY.glob("*.py")} - {"__init__"}
    assert set(re.findall(r"^\| `(\w+)` \| .{20,} \|$", table, re.MULTILINE)) == modules
