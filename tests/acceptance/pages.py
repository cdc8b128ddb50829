"""The pages that people read, and the blocks of code that stand in them."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "ops" / "docs"
README, CONTRIBUTING = ROOT / "README.md", ROOT / "ops" / "CONTRIBUTING.md"
PAGES = sorted(DOCS.rglob("*.md"))
"""The pages in the documentation's folder; other pages of the site are included from elsewhere in the checkout."""
GENERATED = ("commands", "http", "places", "python", "settings")
"""The pages of the reference that are made from the code when the site is built."""
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```[^\S\n]*$", re.MULTILINE | re.DOTALL)


def named(name: str) -> Path:
    """Return the page of that name, such as `guides/broker`."""
    return DOCS / f"{name}.md"


def name_of(page: Path) -> str:
    """Return the name of a page of the documentation, or the path of another in the checkout."""
    return str(page.relative_to(DOCS).with_suffix("")) if page.is_relative_to(DOCS) else str(page.relative_to(ROOT))


def fences(page: Path) -> list[tuple[str, str]]:
    """Return the blocks of a page, each with the words behind its opening fence."""
    return FENCE.findall(page.read_text(encoding="utf-8"))


def blocks(page: Path, *languages: str) -> list[str]:
    """Return the blocks of a page in one of the *languages*; those with a title are another test's."""
    return [text for info, text in fences(page) if info in languages]


def packs(page: Path) -> dict[str, dict[str, str]]:
    """Return the rule packs that a page shows: their files, by a first line like `# boats/pack.yaml`."""
    shown: dict[str, dict[str, str]] = {}
    for text in blocks(page, "yaml"):
        if path := re.match(r"# ([\w-]+)/([\w.-]+)", text):
            shown.setdefault(path[1], {})[path[2]] = text
    return shown


def anchor(heading: str) -> str:
    """Return the anchor of a heading, as the site and code hosts make it."""
    plain = re.sub(r"\[([^\]]+)\]\([^)]*\)|[`*]", r"\1", heading).strip().lower()
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", plain))


def broken(page: Path) -> list[str]:
    """Return the links and pictures of a page that lead to no file of the checkout, or to no heading of it."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    found = []
    for target, heading in re.findall(r"\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?\)", text):
        file = page if not target else (page.parent / target).resolve()
        generated = file.is_relative_to(DOCS / "reference") and file.stem in GENERATED
        if not generated and not file.exists():
            found.append(target)
        elif heading and not generated and heading not in headings(file):
            found.append(f"{target}#{heading}")
    return found


def headings(page: Path) -> set[str]:
    """Return the anchors of a page's headings."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    return {anchor(heading) for heading in re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE)}
