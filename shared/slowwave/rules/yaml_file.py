"""YAML with strict limits: small and plain, without aliases, tags or duplicate keys."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from slowwave.rules.problems import at, clipped, first

FILE_BYTES = 256 * 1024
DEPTH = 16
"""The deepest nesting: more than any real pack has, less than the composer's recursion limit."""

MOST_VALUES = 25_000
"""The most keys and values of a file. A file of maximum size, as dense as the shipped cases, has 21 000."""

LONGEST_NUMBER = 40
"""The most characters of a number; parsing time grows faster than length."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml, if available, is ten times faster
_TAG = "tag:yaml.org,2002:"
_NUMBERS = (f"{_TAG}int", f"{_TAG}float")


def read_yaml(path: Path) -> tuple[Any, list[str]]:
    """Return the content of a file, or else all the reasons why it cannot be read."""
    text, problems = read_text(path)
    return (None, problems) if problems else parse_yaml(text)


def read_text(path: Path) -> tuple[str, list[str]]:
    """Return the text of a file, or else why it cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(FILE_BYTES + 1)
        return ("", [f"is longer than {FILE_BYTES} bytes"]) if len(data) > FILE_BYTES else (data.decode("utf-8"), [])
    except FileNotFoundError:
        return "", ["is missing"]
    except OSError as error:
        return "", [f"cannot be read: {error.strerror}"]
    except UnicodeDecodeError as error:
        return "", [f"is not UTF-8 at byte {error.start}"]


def parse_yaml(text: str) -> tuple[Any, list[str]]:
    """Return the content of *text*, or else all the reasons why it cannot be read."""
    try:
        problems = first(_event_problems(text))
        if problems:
            return None, problems
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            problems = first(_node_problems(node, ())) if node is not None else ["is empty"]
            return (None, problems) if problems else (loader.construct_document(node), [])
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        return None, [_sentence(error)]
    except (ValueError, OverflowError) as error:  # such as 2026-13-45, which looks like a date but is not one
        return None, [f"holds a value that cannot be read: {clipped(str(error), 200)}"]


def _event_problems(text: str) -> Iterator[str]:
    """Check the stream of events before anything is built from it: bombs expand in building."""
    depth = values = 0
    for event in yaml.parse(text, Loader=_Loader):
        line = f"line {event.start_mark.line + 1}: " if event.start_mark else ""
        anchor, tag = getattr(event, "anchor", None), getattr(event, "tag", None)
        if isinstance(event, yaml.AliasEvent):
            yield f"{line}aliases (*{clipped(str(anchor), 60)}) are not allowed"
        elif anchor:
            yield f"{line}anchors (&{clipped(anchor, 60)}) are not allowed"
        if tag not in (None, "!"):
            yield f"{line}tags ({clipped(tag.replace(_TAG, '!!'), 60)}) are not allowed"
        values += isinstance(event, yaml.NodeEvent)
        if values > MOST_VALUES:
            yield f"holds more than {MOST_VALUES} keys and values"
            return
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEPTH:
                yield f"{line}is nested deeper than {DEPTH}"
                return
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _node_problems(node: yaml.Node, place: tuple[str | int, ...]) -> Iterator[str]:
    """Give duplicate keys, keys that are not plain text, and oversized numbers."""
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            name, line = str(key.value), key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode) or key.tag == f"{_TAG}merge":
                yield f"line {line}: expected plain text as a key"
                continue
            if name in seen:
                yield f"{at(f'line {line}: the key', (*place, name)).replace(', ', ' ', 1)} stands there twice"
            seen.add(name)
            yield from _node_problems(key, place)
            yield from _node_problems(value, (*place, name))
    elif isinstance(node, yaml.SequenceNode):
        for number, inner in enumerate(node.value):
            yield from _node_problems(inner, (*place, number))
    elif node.tag in _NUMBERS and len(node.value) > LONGEST_NUMBER:
        yield f"line {node.start_mark.line + 1}: a number has {LONGEST_NUMBER} characters at the most"


def _sentence(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        return f"line {error.problem_mark.line + 1}: is not YAML: {error.problem}"
    return "is not YAML: " + " ".join(str(error).split())
