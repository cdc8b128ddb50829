"""The lines of a file of episodes, read one by one."""

import codecs
import json
import math
from collections.abc import Iterable, Iterator
from typing import IO, Any

from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, SlowwaveError
from slowwave.jobs.ingest import BATCH
from slowwave.validation_messages import kind, nearest


def batches_of(file: IO[bytes]) -> Iterator[list[tuple[int, bytes]]]:
    """Give the non-empty lines of *file* with their numbers, in batches, for files of any length."""
    batch: list[tuple[int, bytes]] = []
    for number, line in enumerate(file, 1):
        line = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line  # a byte order mark, as Windows writes it
        if line.strip():
            batch.append((number, line))
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def read(line: bytes, defaults: dict[str, Any], speaker: str | None) -> tuple[Scope, Episode]:
    """Return the scope and the episode of a line. Raises `Incorrect` with all problems."""
    item = _object(line)
    names = {part: item.pop(part, default) for part, default in defaults.items()}
    metadata = item.get("metadata")
    if speaker is not None and "speaker" not in {*item, *(metadata if isinstance(metadata, dict) else ())}:
        item["speaker"] = speaker
    problems: list[str] = []
    scope = episode = None
    try:
        scope = _scope(names)
    except Incorrect as error:
        problems += error.problems
    try:
        episode = Episode.from_message(item)
    except Incorrect as error:
        problems += error.problems
    if scope is None or episode is None:
        raise Incorrect.listing("line", problems)
    return scope, episode


def _object(line: bytes) -> dict[str, Any]:
    """Return the JSON object of a line. Raises `Incorrect`."""
    try:
        item = json.loads(line.decode("utf-8"), parse_constant=_no_number, parse_float=_number)
    except UnicodeDecodeError as error:
        raise Incorrect(f"not UTF-8 from byte {error.start + 1} on") from None
    except json.JSONDecodeError as error:
        raise Incorrect(f"not JSON from character {error.pos + 1} on") from None
    except RecursionError:
        raise Incorrect("nested too deeply") from None
    except ValueError:  # Python refuses integers of more than 4300 digits
        raise Incorrect("has a number with too many digits") from None
    if not isinstance(item, dict):
        raise Incorrect(f"expected a JSON object, got {kind(item)}")
    return item


def _no_number(word: str) -> float:
    raise Incorrect(f"not JSON: {word} is not a JSON number")


def _number(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise Incorrect(f"has a number that is too large, {digits[:20]}")
    return number


def _scope(names: dict[str, Any]) -> Scope:
    if problems := [
        f"{part}: {'is missing' if name is None else 'is not text'}"
        for part, name in names.items()
        if not isinstance(name, str)
    ]:
        raise Incorrect.listing("scope", problems)
    return Scope(**names)


def problems_of(error: SlowwaveError) -> list[str]:
    """Return every problem in *error*."""
    return list(error.problems) if isinstance(error, Incorrect) and error.problems else [error.message]


def advised(problem: str, defaults: Iterable[str]) -> str:
    """Return a problem, with advice on where to put an unknown field."""
    name = problem.removesuffix(": is not known")
    return problem if name == problem else f"{problem}{nearest(name, defaults) or '; put it under metadata'}"
