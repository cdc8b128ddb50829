"""Files of other projects, converted to the lines that `slowwave push` reads."""

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from slowwave.cli.import_export.other_formats import chats, memories
from slowwave.errors import Incorrect

BATCH = 1_000
"""Items stored per batch."""

Item = dict[str, Any]
FORMS: Mapping[str, Callable[[Any], Iterator[Item]]] = {
    "chatgpt": chats.chatgpt,
    "honcho": memories.honcho,
    "langgraph": memories.langgraph,
    "mem0": memories.mem0,
    "openai": chats.openai,
}
"""The supported formats by name: each function converts an entry of a file to episodes."""


def episodes_of(form: str, file: Path) -> Iterator[list[tuple[int, bytes]]]:
    """Give the episodes of a *file* in the format *form*, in batches, each episode with the number of its entry.

    Reads JSON Lines entry by entry, and a JSON document as a whole. Raises `Incorrect` for any other content.
    """
    numbered = _numbered(form, file)
    while batch := list(islice(numbered, BATCH)):
        yield batch


def _numbered(form: str, file: Path) -> Iterator[tuple[int, bytes]]:
    for number, entry in _entries(file):
        if not isinstance(entry, dict):
            yield number, b"[]"  # kept as an invalid line, so that its number is reported
            continue
        for item in FORMS[form](entry):
            yield number, json.dumps(item).encode()


def _entries(file: Path) -> Iterator[tuple[int, Any]]:
    try:
        if _is_lines(file):
            with file.open(encoding="utf-8-sig") as opened:
                for number, line in enumerate(opened, 1):
                    if line.strip():
                        yield number, _read(line)
            return
        document = json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise Incorrect(f"{file} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise Incorrect(f"{file} is neither JSON nor JSON Lines, in UTF-8") from None
    if isinstance(document, dict):
        lists = [document[name] for name in _LISTS if isinstance(document.get(name), list)]
        document = lists[0] if lists else [document]
    yield from enumerate(document if isinstance(document, list) else [document], 1)


_LISTS = ("results", "items", "data", "memories", "conversations")
"""The fields in which documents, and pages of an API, list their entries."""


def _is_lines(file: Path) -> bool:
    """Return whether the first line is a complete JSON object and another line follows."""
    with file.open(encoding="utf-8-sig") as opened:
        first, second = opened.readline(), opened.readline()
    return second != "" and isinstance(_read(first), dict) and (second.strip() == "" or _read(second) is not None)


def _read(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
