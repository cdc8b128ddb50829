"""The import contracts hold on the code, and each contract fails on a tree that breaks it."""

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

import grimp
import pytest
import yaml

from tests.architecture.trees import PACKAGES, ROOT, copy_tree, nodes_of, plant, run

LINTED: list[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
CONTRACTS: dict[str, str] = {contract["id"]: contract["name"] for contract in LINTED}

PLANTED = yaml.safe_load(Path(__file__).with_name("contracts.yaml").read_text(encoding="utf-8"))
VIOLATIONS, ALLOWED = ([tuple(line) for line in PLANTED[name]] for name in ("violations", "allowed"))
PURE_LIBRARY = {
    "__future__", "abc", "base64", "bisect", "collections", "contextlib", "dataclasses", "datetime", "enum",
    "functools", "hashlib", "heapq", "hmac", "inspect", "itertools", "json", "math", "operator", "re", "statistics",
    "string", "struct", "textwrap", "types", "typing", "unicodedata", "urllib", "uuid", "zlib", "zoneinfo",
}  # fmt: skip
PURE_PACKAGES = {
    "croniter",
    "detect_secrets",
    "networkx",
    "numpy",
    "pydantic",
    "re2",
}  # of the language detector only the regular expressions


def lint(tree: Path) -> tuple[int, dict[str, str]]:
    """Return the exit status, and what is said about each broken contract, by its id; "" holds what comes before."""
    result = run(tree, "lint-imports", "--no-logo", "--no-cache")
    heads = "|".join(re.escape(name) for name in CONTRACTS.values())
    before, *parts = re.split(rf"^({heads})\n-+\n", result.stdout, flags=re.MULTILINE)
    ids = {name: id_ for id_, name in CONTRACTS.items()}
    return result.returncode, {
        "": before + result.stderr,
        **{ids[name]: said for name, said in zip(parts[::2], parts[1::2], strict=True)},
    }


def file_of(module: str, tree: Path) -> str:
    """Return the file of a module: the one there is, or the one to be made."""
    name, _, rest = module.partition(".")
    path = Path(PACKAGES[name], *rest.split("."))
    return f"{path}/__init__.py" if (tree / path).is_dir() else f"{path}.py"


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, dict[str, str]]:
    """The result of the contracts on the code as it is."""
    return lint(copy_tree(tmp_path_factory.mktemp("clean")))


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, dict[str, str]]:
    """The result of the contracts on a tree that breaks each of them."""
    tree = copy_tree(tmp_path_factory.mktemp("planted"))
    plant(tree, {"rules/packs/__init__.py": "", "rules/packs/planted/__init__.py": ""})
    plant(tree, {"shared/slowwave/__init__.py": "from slowwave.memory import Memory"})
    for _, module, text in VIOLATIONS:
        plant(tree, {file_of(module, tree): text})
    return lint(tree)


def test_no_import_breaks_a_contract(clean: tuple[int, dict[str, str]]) -> None:
    status, said = clean

    assert said.keys() == {""}, "\n".join(said.values())
    assert f"Contracts: {len(CONTRACTS)} kept, 0 broken." in said[""]
    assert status == 0


def test_the_import_linter_checks_each_module(clean: tuple[int, dict[str, str]]) -> None:
    _, said = clean
    ours = grimp.build_graph(*PACKAGES, cache_dir=None).modules
    with_theirs = grimp.build_graph(*PACKAGES, cache_dir=None, include_external_packages=True)

    assert {name for name in modules() if ".store.migrations." not in name} == ours
    assert len(ours) > 100
    assert f"Analyzed {len(with_theirs.modules)} files, {with_theirs.count_imports()} dependencies." in said[""]
    assert with_theirs.count_imports() > 300


def modules() -> set[str]:
    """Return the name of every Python file of ours, whether or not its folder is a package."""
    return {
        ".".join([name, *path.relative_to(ROOT / folder).with_suffix("").parts]).removesuffix(".__init__")
        for name, folder in PACKAGES.items()
        for path in (ROOT / folder).rglob("*.py")
    }


@pytest.mark.parametrize(("contract", "module", "text"), VIOLATIONS)
def test_a_planted_import_breaks_its_contract(
    planted: tuple[int, dict[str, str]], contract: str, module: str, text: str
) -> None:
    status, said = planted

    assert status == 1
    assert contract in said, said[""]
    assert re.search(rf"{re.escape(module)}\b", said[contract])


@pytest.fixture(scope="module")
def circular(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, dict[str, str]]:
    """The result of the contracts if two packages, and two files of one package, import each other."""
    tree = copy_tree(tmp_path_factory.mktemp("circular"))
    for module, text in CIRCLES.items():
        plant(tree, {file_of(module, tree): text})
    return lint(tree)


CIRCLES = {
    "slowwave.store.audit.planted": "from slowwave.store.beliefs import apply",
    "slowwave.jobs.planted_here": "from slowwave.jobs import planted_there",
    "slowwave.jobs.planted_there": "from slowwave.jobs import planted_here",
}


@pytest.mark.parametrize("broken", [".audit -> .beliefs", ".planted_here -> .planted_there"])
def test_an_import_cycle_of_siblings_is_found(circular: tuple[int, dict[str, str]], broken: str) -> None:
    status, said = circular

    assert status == 1
    one, other = broken.split(" -> ")
    assert broken in said["circles"] or f"{other} -> {one}" in said["circles"]


def test_each_contract_has_a_planted_violation() -> None:
    assert {contract for contract, _, _ in VIOLATIONS} | {"circles"} == CONTRACTS.keys()


def test_allowed_imports_break_no_contract(tmp_path: Path, clean: tuple[int, dict[str, str]]) -> None:
    tree = copy_tree(tmp_path)
    plant(tree, {file_of(module, tree): text for module, text in ALLOWED})

    status, said = lint(tree)

    assert status == clean[0]
    assert said.keys() == clean[1].keys()
    assert said[""] != clean[1][""]  # further modules


def test_a_module_without_a_layer_breaks_the_contract(tmp_path: Path) -> None:
    tree = copy_tree(tmp_path)
    plant(tree, {"shared/slowwave/planted.py": ""})

    status, said = lint(tree)

    assert status == 1
    assert "slowwave.planted" in said["layers"]


def test_core_and_domain_import_only_approved_packages() -> None:
    (contract,) = (contract for contract in LINTED if contract["id"] == "pure")

    imported = {name for room in ("core", "domain") for name in imports_of(ROOT / PACKAGES["slowwave"] / room)}

    assert imported - PURE_LIBRARY - PURE_PACKAGES == {"slowwave"}
    assert set(contract["forbidden_modules"]) & (PURE_LIBRARY | PURE_PACKAGES) == {"urllib"}


def imports_of(folder: Path) -> set[str]:
    """Return the top-level names that modules in *folder* import."""
    found: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in nodes_of(path):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add((node.module or "").partition(".")[0])
    return found


def test_core_modules_use_no_clock_and_no_random_ids() -> None:
    asked = {
        f"{path.name}:{node.lineno} {node.attr}"
        for path in (ROOT / PACKAGES["slowwave"] / "core").rglob("*.py")
        for node in nodes_of(path)
        if isinstance(node, ast.Attribute) and node.attr in {"now", "utcnow", "today", "uuid1", "uuid4"}
    }

    assert asked == set()
