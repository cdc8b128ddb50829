"""The import contracts hold on the code, and each contract fails on a tree that breaks it."""

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

import grimp
import pytest

from tests.architecture.trees import PACKAGES, ROOT, copy_tree, nodes_of, plant, run

LINTED: list[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
CONTRACTS: dict[str, str] = {contract["id"]: contract["name"] for contract in LINTED}

# Contract, the module that does it, what it writes. Each module is planted for this alone, or adds to what is there.
VIOLATIONS = [
    ("application", "worker.planted_scheduler", "import scheduler"),
    ("application", "worker.planted_content", "import rules"),
    ("application", "scheduler.planted_worker", "import worker"),
    ("application", "slowwave.jobs.planted_worker", "import worker"),
    ("application", "slowwave.cli.planted_scheduler", "import scheduler"),
    ("application", "slowwave.rules.planted_content", "import rules"),
    ("layers", "slowwave.errors", "from slowwave.runtime import clock"),
    ("layers", "slowwave.runtime.clock", "from slowwave import settings"),
    ("layers", "slowwave.domain.planted_core", "from slowwave.core import fold"),
    ("layers", "slowwave.core.planted_ports", "from slowwave import ports"),
    ("layers", "slowwave.ports", "from slowwave.jobs import run"),
    ("layers", "slowwave.store.planted_jobs", "from slowwave.jobs import run"),
    ("layers", "slowwave.jobs.planted_retrieval", "from slowwave.retrieval import recall"),
    ("layers", "slowwave.retrieval.planted_jobs", "from slowwave.jobs import prepare"),
    ("layers", "slowwave.store.planted_queue", "from slowwave.broker import queue"),
    ("layers", "slowwave.store.planted_inference", "from slowwave.inference import embedder"),
    ("layers", "slowwave.inference.planted_rules", "from slowwave.rules import pack"),
    ("layers", "slowwave.rules.planted_embedded", "from slowwave.embedded_services import server"),
    (
        "layers",
        "slowwave.embedded_services.planted_store",
        "def late() -> None:\n    from slowwave.store import database",
    ),
    ("layers", "slowwave.store.planted_wiring", "from slowwave import wiring"),
    ("layers", "slowwave.wiring", "from slowwave import memory"),
    ("layers", "slowwave.memory", "from slowwave import cli"),
    ("layers", "slowwave.core.planted_front_door", "from slowwave import Memory"),
    ("settings", "slowwave.cli.planted_settings", "from slowwave.settings import Settings"),
    ("settings", "slowwave.store.planted_settings", "import slowwave.settings"),
    ("settings", "worker.planted_settings", "from slowwave import settings"),
    ("settings", "scheduler.planted_settings", "from slowwave.settings import Settings"),
    ("jobs", "slowwave.jobs.planted_job", "from slowwave.jobs import consolidate"),
    ("jobs", "slowwave.jobs.run", "from slowwave.jobs import prepare"),
    ("celery", "slowwave.store.planted_celery", "import celery"),
    ("celery", "slowwave.wiring", "from kombu.exceptions import OperationalError"),
    ("sql", "slowwave.memory.planted_sql", "from sqlalchemy import text"),
    ("sql", "slowwave.wiring.planted_sql", "import psycopg"),
    ("sql", "worker.planted_sql", "import pgvector"),
    ("sql", "slowwave.cli.planted_sql", "import psycopg"),
    ("faces", "slowwave.cli.planted_nights", "from slowwave.store.night_report import night_report"),
    ("faces", "slowwave.adapters.planted_held", "from slowwave.store.beliefs import affected_facts"),
    ("faces", "worker.planted_database", "from slowwave.store import database"),
    ("content", "rules.planted_store", "from slowwave.store import tables"),
    ("content", "rules.planted_errors", "from slowwave.errors import Incorrect"),
    ("content", "rules.planted_front_door", "from slowwave import Memory"),
    ("content", "rules.packs.planted.look", "from slowwave.core import fold\nfrom slowwave.runtime import clock"),
    ("pure", "slowwave.core.planted_time", "import time"),
    ("pure", "slowwave.core.planted_random", "from random import random"),
    ("pure", "slowwave.core.planted_file", "from pathlib import Path"),
    ("pure", "slowwave.core.planted_environment", "import os.path"),
    ("pure", "slowwave.core.planted_clock", "from slowwave.runtime import clock"),
    ("pure", "slowwave.domain.planted_socket", "import socket"),
    ("pure", "slowwave.domain.planted_tables", "import sqlalchemy as sa"),
]
ALLOWED = [
    ("slowwave.cli.planted_fine", "from slowwave import memory, wiring, embedded_services, errors, runtime"),
    (
        "slowwave.jobs.planted_fine",
        "from slowwave.jobs import run, heartbeat\nfrom slowwave import ports, store, errors",
    ),
    ("slowwave.core.planted_fine", "import math, uuid, datetime\nfrom slowwave.domain import claim"),
    ("worker.planted_fine", "import celery\nfrom slowwave import wiring, broker"),
    ("scheduler.planted_fine", "import celery\nfrom slowwave import wiring, broker"),
    ("slowwave.store.recall.planted_fine", "import psycopg, sqlalchemy\nfrom slowwave.store import transaction"),
    ("rules.planted_fine", "from slowwave.domain import claim\nfrom slowwave.core import fold"),
]
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
