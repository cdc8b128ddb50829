"""The first sentences of docstrings: their beginning, an expected noun, and no repetition of a port's docstring."""

import ast
import re
from functools import cache
from pathlib import Path

from tests.architecture.test_shape import HISTORY
from tests.architecture.trees import ROOT, nodes_of, ours, write

OBLIQUE = re.compile(r"(What|How|Where|When|Who|Whose|Whether|Which|Why)\b")
"""The beginning of a first sentence that does not name its subject."""


def oblique(root: Path) -> list[str]:
    """Return the files and names whose first sentence is oblique, as `file` or `file: name`."""
    paths = [
        path
        for folder in ("shared/slowwave", "worker", "scheduler", "rules", "tests", "ops")
        for pattern in ("*.py", "*.sql")
        for path in (root / folder).rglob(pattern)
    ]
    return sorted(
        f"{path.relative_to(root)}{name}"
        for path in paths
        for name, sentence in first_sentences(path)
        if OBLIQUE.match(sentence)
    )


FIELD = """
    agent answer benchmark callable caller celery chart clock command container conversation database deadline delta
    embedder embedding entity entry-point episode explanation extractor fact feedback goal graph health http index
    installation json key lease log mcp measurement memory message migration model operator page parse partition policy
    postgres predicate process prompt protocol provider question queue recall receipt recollection redis review route
    run schedule scope scrape sentence session setting span speaker statement statistics store summary supervisor table
    tenant time tier timeout token transaction user value vector verb webhook worker
"""
"""The nouns of the field and of its tools; the glossary has our own."""


def stems(text: str) -> set[str]:
    """Return the words of a text, and their stems without the ending of a plural or a verb."""
    words = {word.lower() for word in re.findall(r"[A-Za-z]{3,}", text)}
    singular = {re.sub(r"(es|s)$", "", word) for word in words if len(word) > 4}
    return words | singular | {re.sub(r"(i|ing|ions?|ed|e|y)$", "", word) for word in words | singular if len(word) > 4}


def nameless(root: Path, glossary: str) -> list[str]:
    """Return the modules whose first sentence has no noun of the field, the glossary, the file or its package."""
    known = stems(" ".join([FIELD, *(line.split("|")[1] for line in glossary.splitlines() if line.startswith("|"))]))
    sentences = [
        (path.relative_to(root), re.split(r"[.!?](?=\s|$)", text, maxsplit=1)[0])
        for path in ours(root)
        if not str(path.relative_to(root)).startswith(HISTORY) and (text := first_sentences(path)[0][1])
    ]
    return [
        f"{path}: {sentence}"
        for path, sentence in sentences
        if not stems(sentence) & (known | stems(f"{path.stem} {path.parent.name}".replace("_", " ")))
    ]


def test_a_module_docstring_begins_with_an_expected_noun() -> None:
    assert nameless(ROOT, (ROOT / "ops" / "GLOSSARY.md").read_text()) == []


def test_a_module_docstring_without_its_noun_is_found(tmp_path: Path) -> None:
    write(tmp_path, {
        "worker/planted.py": '"""Something that happened. A fact."""\n',
        "worker/slice.py": '"""A cursor over the inbox."""\n',
        "worker/places.py": '"""The place in line."""\n',
    })  # fmt: skip

    assert nameless(tmp_path, "| word | |\n| cursor | a place |") == ["worker/planted.py: Something that happened"]


@cache
def first_sentences(path: Path) -> list[tuple[str, str]]:
    """Return the docstrings of a module and its definitions, or the comment of an SQL file, each with its name."""
    if path.suffix == ".sql":
        return [("", path.read_text(encoding="utf-8").lstrip("- \n"))]
    return [
        (f": {node.name}" if not isinstance(node, ast.Module) else "", ast.get_docstring(node) or "")
        for node in nodes_of(path)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def test_each_first_sentence_names_its_subject() -> None:
    assert oblique(ROOT) == []


def test_a_first_sentence_without_a_noun_is_found(tmp_path: Path) -> None:
    inner = 'class Worker:\n    """How it works."""\n\n    def works(self) -> bool:\n        """Whether it does."""\n'
    write(tmp_path, {
        "worker/planted.py": '"""What a worker does."""\n',
        "worker/planted.sql": "-- Whether a worker works.\nSELECT 1;\n",
        "tests/test_planted.py": '"""How a worker is tested."""\n',
        "worker/named.py": '"""Whatever a worker does, by name: its tasks."""\n',
        "worker/inner.py": inner,
    })  # fmt: skip

    assert oblique(tmp_path) == [
        "tests/test_planted.py",
        "worker/inner.py: Worker",
        "worker/inner.py: works",
        "worker/planted.py",
        "worker/planted.sql",
    ]


def told_twice(root: Path) -> list[str]:
    """Return the methods that repeat the docstring of the port they implement, word for word."""
    methods = [
        (path, cls, method)
        for path in (root / "shared/slowwave").rglob("*.py")
        for cls in nodes_of(path)
        if isinstance(cls, ast.ClassDef)
        for method in cls.body
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(method)
    ]
    of_a_port = [any("Protocol" in ast.unparse(base) for base in cls.bases) for _, cls, _ in methods]
    ports = {
        (method.name, ast.get_docstring(method))
        for (_, _, method), port in zip(methods, of_a_port, strict=True)
        if port
    }
    return sorted(
        f"{path.relative_to(root)}: {cls.name}.{method.name}"
        for (path, cls, method), port in zip(methods, of_a_port, strict=True)
        if not port and (method.name, ast.get_docstring(method)) in ports
    )


def test_an_implementation_does_not_repeat_its_ports_docstring() -> None:
    assert told_twice(ROOT) == []


def test_a_repeated_docstring_is_found(tmp_path: Path) -> None:
    port = 'class Store(Protocol):\n    def take(self) -> None:\n        """Take one."""\n'
    store = port.replace("Store(Protocol)", "PostgresStore")
    write(tmp_path, {"shared/slowwave/ports.py": port, "shared/slowwave/store.py": store})

    assert told_twice(tmp_path) == ["shared/slowwave/store.py: PostgresStore.take"]
