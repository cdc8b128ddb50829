"""The shape of the checkout: small files, a fixed top level, exceptions with reasons, and a lock without URLs."""

import ast
import os
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable
from importlib.metadata import packages_distributions
from pathlib import Path

import grimp
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.trees import PACKAGES, ROOT, nodes_of, ours, write
from tests.unit.tables import table

LONGEST = 400
LONGER: dict[str, str] = {
    "shared/slowwave/core/fold.py": "the fold, whole: every mode decides over the same state",
}
TOP_LEVEL = {
    "CHANGELOG.md", "LICENSE", "Makefile", "README.md", "docker-compose.yml", "ops", "pyproject.toml",
    "requirements.lock", "rules", "scheduler", "shared", "tests", "worker",
}  # fmt: skip
MADE = {"dist"}
"""Folders that make creates and no commit contains."""

CROWDED = 20
"""The maximum number of files of one kind in a folder: people lose the overview of more."""
ADVICE = f"A folder holds at most {CROWDED} files with the same extension. If it is full, add a subpackage"
MORE: dict[str, int] = {
    "shared/slowwave/core .py": 32,
    "shared/slowwave/domain .py": 41,
    "shared/slowwave/memory .py": 26,
    "shared/slowwave/rules .py": 22,
    "shared/slowwave/cli .py": 23,
    "shared/slowwave/store/operator/invariants .sql": 22,
}
"""Folders above the limit that are simple in structure, each with its own limit: adding a file is a decision."""
HISTORY = "shared/slowwave/store/migrations/versions"
"""A folder with a linear history, whose files are found by revision number: one file of each kind per revision."""
STATEMENT_ID = re.compile(r"\bS[0-4]\.\d+")
"""The id of a statement of the source documents, allowed only in tests: readers of the library do not have them."""

EXCEPTION = re.compile(
    r"#\s*(noqa|type:\s*ignore|pragma)\b(?P<which>(:\s*[A-Z]+\d+(,\s*[A-Z]+\d+)*|\[[\w, -]+\])?)(?P<reason>.*)"
)


def too_long(root: Path) -> dict[str, int]:
    """Return the files with more lines than the limit."""
    return {
        str(path.relative_to(root)): lines
        for folder in ("shared/slowwave", "worker", "scheduler")
        for pattern in ("*.py", "*.sql")
        for path in (root / folder).rglob(pattern)
        if (lines := len(path.read_text().splitlines())) > LONGEST
    }


def unreasoned(root: Path) -> list[str]:
    """Return the lines that silence a check without its name and a reason."""
    return [
        f"{path.relative_to(root)}:{number}"
        for path in ours(root)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if (found := EXCEPTION.search(line)) and not (found["which"] and re.search(r"\w{2,}", found["reason"]))
    ]


def crowded(root: Path) -> dict[str, int]:
    """Return the folders whose number of files of one kind is above the limit or differs from the stated one."""
    counts = Counter(
        f"{path.parent.relative_to(root)} {path.suffix}"
        for folder in ("shared/slowwave", "worker", "scheduler", "rules", "ops", "tests")
        for path in (root / folder).rglob("*")
        if path.suffix in (".py", ".sql", ".yaml")
    )
    numbers = {path.name[:4] for path in (root / HISTORY).glob("[0-9]*.py")}
    revisions = {f"{HISTORY} {kind}": len(numbers) for kind in (".py", ".sql")}
    return {
        folder: count
        for folder, count in counts.items()
        if (count != MORE[folder] if folder in MORE else count > max(CROWDED, revisions.get(folder, 0)))
    }


def numbered(root: Path) -> list[str]:
    """Return the lines of the library that cite a statement of the source documents by its number."""
    return [
        f"{path.relative_to(root)}:{number}"
        for path in ours(root, ".py", ".sql", ".yaml", ".md")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if STATEMENT_ID.search(line)
    ]


def missing(texts: Iterable[str], root: Path) -> list[str]:
    """Return the paths in the last column of tables that exist neither in the library nor in the checkout."""
    rows = (line.split("|")[-2] for text in texts for line in text.splitlines() if line.startswith("|"))
    paths = [path for row in rows for path in re.findall(r"`([\w/.]+)`", row)]
    assert len(paths) > 10
    return [path for path in paths if not any((base / path).exists() for base in (root / "shared/slowwave", root))]


def test_each_path_of_the_glossary_and_the_map_exists() -> None:
    page = (ROOT / "ops" / "CONTRIBUTING.md").read_text()
    where = re.search(r"^## Where things are$.*?(?=^## )", page, re.MULTILINE | re.DOTALL)
    assert where

    assert missing([where[0], (ROOT / "ops" / "GLOSSARY.md").read_text()], ROOT) == []


def reaching(root: Path) -> list[str]:
    """Return the lines that access the parts of another object, except in the module that provides them."""
    return [
        f"{path.relative_to(root)}:{node.lineno}"
        for path in ours(root)
        if path != root / "shared/slowwave/memory/verb_group.py"
        for node in nodes_of(path)
        if isinstance(node, ast.Attribute) and node.attr == "_parts" and ast.unparse(node.value) not in ("self", "cls")
    ]


def test_no_module_uses_private_parts_of_another_object() -> None:
    assert reaching(ROOT) == []


def test_use_of_private_parts_is_found(tmp_path: Path) -> None:
    write(tmp_path, {"worker/planted.py": "def of(memory):\n    return memory._parts.database\n"})

    assert reaching(tmp_path) == ["worker/planted.py:2"]


OF_A_LEASE = re.compile(r"\b(scope_leases|watermarks)\b|\bfence\b")
SPEAKS_SQL = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE)\b")
ONE_DOOR = {"released IS NULL": "shared/slowwave/store/retention/legal_holds.py"}
"""SQL that only one module may contain in a string."""


def misplaced(root: Path) -> list[str]:
    """Return SQL strings on a lease, a fence or a watermark that are not in a file, or are another module's."""
    strings = [
        (path.relative_to(root), node.lineno, node.value)
        for path in sorted((root / "shared/slowwave/store").rglob("*.py"))
        if not {"tables", "versions"} & set(path.parts)
        for node in nodes_of(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SPEAKS_SQL.search(node.value)
    ]
    return [
        f"{path}:{line}"
        for path, line, text in strings
        if OF_A_LEASE.search(text) or any(part in text and str(path) != door for part, door in ONE_DOOR.items())
    ]


def test_lease_statements_are_files_and_legal_holds_are_checked_in_one_place() -> None:
    assert misplaced(ROOT) == []


def test_a_misplaced_statement_is_found(tmp_path: Path) -> None:
    text = (
        'A = "UPDATE scope_leases SET until = NULL"\nB = "SELECT FROM holds WHERE released IS NULL"\nC = "SELECT 1"\n'
    )
    write(tmp_path, {"shared/slowwave/store/planted.py": text})

    assert misplaced(tmp_path) == ["shared/slowwave/store/planted.py:1", "shared/slowwave/store/planted.py:2"]


def test_no_folder_has_too_many_files() -> None:
    found = crowded(ROOT)
    assert found == {}, f"{ADVICE}: {found}"


def test_the_contributors_page_says_how_many_files_a_folder_holds() -> None:
    page = " ".join((ROOT / "ops" / "CONTRIBUTING.md").read_text(encoding="utf-8").split())
    assert ADVICE in page


def test_a_crowded_folder_is_found(tmp_path: Path) -> None:
    (tmp_path / "worker").mkdir()
    for number in range(CROWDED + 1):
        (tmp_path / "worker" / f"file_{number}.py").touch()
        (tmp_path / "worker" / f"statement_{number % CROWDED}.sql").touch()

    assert crowded(tmp_path) == {"worker .py": CROWDED + 1}


def test_a_migration_is_a_file_of_each_kind(tmp_path: Path) -> None:
    (tmp_path / HISTORY).mkdir(parents=True)
    for number in range(CROWDED + 1):
        (tmp_path / HISTORY / f"{number:04}_step.py").touch()
    assert crowded(tmp_path) == {}

    (tmp_path / HISTORY / "0001_another.py").touch()

    assert crowded(tmp_path) == {f"{HISTORY} .py": CROWDED + 2}


def test_the_library_names_no_statement_by_its_number() -> None:
    assert numbered(ROOT) == []


def test_a_statement_number_is_found(tmp_path: Path) -> None:
    write(tmp_path, {"rules/planted.yaml": "a: 1\n# as S2.39 says\n"})

    assert numbered(tmp_path) == ["rules/planted.yaml:2"]


def test_a_long_file_has_a_reason() -> None:
    found = too_long(ROOT).keys() - LONGER.keys()
    assert found == set(), f"A file has at most {LONGEST} lines. If it is full, move one of its ideas to a new file"


def test_no_short_file_is_listed_as_long() -> None:
    assert LONGER.keys() - too_long(ROOT).keys() == set()


def test_a_long_file_is_found(tmp_path: Path) -> None:
    write(tmp_path, {"worker/long.py": "x = 1\n" * (LONGEST + 1), "worker/short.py": "x = 1\n" * LONGEST})

    assert too_long(tmp_path) == {"worker/long.py": LONGEST + 1}


def test_the_top_folder_contains_only_known_entries() -> None:
    found = {name for name in os.listdir(ROOT) if not name.startswith(".")}

    assert found - TOP_LEVEL - MADE == set()


def test_an_exception_to_a_check_carries_its_reason() -> None:
    assert unreasoned(ROOT) == []


@pytest.mark.parametrize(("line", "reasoned"), table(__file__)["exceptions"])
def test_an_exception_without_a_reason_is_found(tmp_path: Path, line: str, reasoned: bool) -> None:
    write(tmp_path, {"worker/planted.py": line})

    assert unreasoned(tmp_path) == ([] if reasoned else ["worker/planted.py:1"])


# the dependencies


def test_each_imported_package_is_a_declared_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    optional = [text for texts in project.get("optional-dependencies", {}).values() for text in texts]
    asked = {canonicalize_name(Requirement(text).name) for text in project["dependencies"] + optional}
    graph = grimp.build_graph(*PACKAGES, cache_dir=None, include_external_packages=True)
    brought_by = packages_distributions()

    theirs = {name for name in graph.modules if graph.is_module_squashed(name)} - sys.stdlib_module_names
    unasked = {
        name for name in theirs if not asked & {canonicalize_name(each) for each in brought_by.get(name, [name])}
    }
    importers = {name: graph.find_modules_that_directly_import(name) for name in unasked}
    adapted = {name for name in unasked if all(one.startswith("slowwave.adapters.") for one in importers[name])}
    assert adapted == {"langgraph", "pydantic_ai"}  # users of a framework have it installed
    assert unasked == adapted
    assert {"sqlalchemy", "celery", "psycopg"} <= theirs


LEAST = {
    "requirements.lock": 50, "ops/image.lock": 40, "ops/redis.lock": 1, "ops/uv.lock": 1,
    "ops/embedder/requirements.txt": 3, "ops/accept.lock": 2, "ops/adversary.lock": 2,
}  # fmt: skip
LOCKS = [ROOT / name for name in LEAST]


def locked(lock: Path = LOCKS[0]) -> dict[str, list[str]]:
    """Return the versions of each package in a lock file."""
    versions: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^ ;\\]+)", lock.read_text(), re.MULTILINE):
        versions.setdefault(canonicalize_name(name), []).append(version)
    return versions


def test_the_lock_contains_each_dependency_in_an_allowed_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    assert extras.pop("sentences")  # it needs torch, which is larger than all else: tests use a stub of it
    several = (line for lines in extras.values() for line in lines)
    lines = [*project["project"]["dependencies"], *several, *project["dependency-groups"]["dev"]]
    asked = [each for each in map(Requirement, lines) if each.name != "slowwave"]  # `all` lists our own extras
    versions = locked()

    missing = [str(each) for each in asked if canonicalize_name(each.name) not in versions]
    outside = [
        str(each)
        for each in asked
        for version in versions.get(canonicalize_name(each.name), [])
        if version not in each.specifier
    ]
    assert (missing, outside) == ([], [])
    assert len(asked) > 30


@pytest.mark.parametrize(("lock", "least"), list(zip(LOCKS, LEAST.values(), strict=True)), ids=list(LEAST))
def test_each_locked_package_has_hashes(lock: Path, least: int) -> None:
    entries = re.split(r"\n(?=\S)", lock.read_text().strip())

    assert len(entries) == sum(len(versions) for versions in locked(lock).values()) >= least
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("lock", LOCKS, ids=list(LEAST))
def test_the_lock_contains_no_url_or_index(lock: Path) -> None:
    assert re.findall(r"://|--(?:extra-)?index|--find-links| @ ", lock.read_text()) == []
