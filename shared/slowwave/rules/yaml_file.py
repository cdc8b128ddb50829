"""YAML read with suspicion: small, plain, no aliases, no tags, no key twice."""

from pathlib import Path
from typing import Any

import yaml

FILE_BYTES = 256 * 1024
DEPTH = 16
"""Deeper than any honest pack, shallow enough for the composer's recursion."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml is ten times faster, where it is there
_TAG = "tag:yaml.org,2002:"


def read_yaml(path: Path) -> tuple[Any, list[str]]:
    """Return what the file says and, instead, everything that keeps it from being read."""
    try:
        with path.open("rb") as file:
            data = file.read(FILE_BYTES + 1)
    except FileNotFoundError:
        return None, ["is missing"]
    except OSError as error:
        return None, [f"cannot be read: {error.strerror}"]
    if len(data) > FILE_BYTES:
        return None, [f"is longer than {FILE_BYTES} bytes"]
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return None, [f"is not UTF-8 at byte {error.start}"]
    return parse_yaml(text)


def parse_yaml(text: str) -> tuple[Any, list[str]]:
    """Return what *text* says and, instead, everything that keeps it from being read."""
    try:
        problems = _event_problems(text)
        if problems:
            return None, problems
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            problems = _duplicates(node, "") if node is not None else ["is empty"]
            return (None, problems) if problems else (loader.construct_document(node), [])
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        return None, [_sentence(error)]
    except ValueError as error:  # a scalar such as 2026-13-45 that looks like a date and is none
        return None, [f"holds a value that cannot be read: {error}"]


def _event_problems(text: str) -> list[str]:
    """Look at the stream of events before anything is built from it: bombs go off in building."""
    problems, depth = [], 0
    for event in yaml.parse(text, Loader=_Loader):
        line = f"line {event.start_mark.line + 1}: " if event.start_mark else ""
        anchor, tag = getattr(event, "anchor", None), getattr(event, "tag", None)
        if isinstance(event, yaml.AliasEvent):
            problems.append(f"{line}aliases (*{anchor}) are not allowed")
        elif anchor:
            problems.append(f"{line}anchors (&{anchor}) are not allowed")
        if tag not in (None, "!"):
            problems.append(f"{line}tags ({tag.replace(_TAG, '!!')}) are not allowed")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEPTH:
                return [*problems, f"{line}is nested deeper than {DEPTH}"]
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
    return problems


def _duplicates(node: yaml.Node, place: str) -> list[str]:
    problems = []
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            name = str(key.value)
            if not isinstance(key, yaml.ScalarNode) or key.tag == f"{_TAG}merge":
                problems.append(f"line {key.start_mark.line + 1}: expected plain text as a key")
            elif name in seen:
                problems.append(f"line {key.start_mark.line + 1}: the key {place}{name} stands there twice")
            seen.add(name)
            problems += _duplicates(value, f"{place}{name}.")
    elif isinstance(node, yaml.SequenceNode):
        for number, inner in enumerate(node.value):
            problems += _duplicates(inner, f"{place}{number}.")
    return problems


def _sentence(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        return f"line {error.problem_mark.line + 1}: is not YAML: {error.problem}"
    return "is not YAML: " + " ".join(str(error).split())
