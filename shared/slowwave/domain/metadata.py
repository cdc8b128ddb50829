"""Metadata of an episode: JSON, of a size and a depth, with text that Postgres takes."""

import itertools
import json
import math
from collections.abc import Iterator
from typing import Any

from slowwave.domain.limits import METADATA_BYTES, METADATA_DEPTH
from slowwave.domain.text import text_problems

MOST_PROBLEMS = 50
"""How many problems of one metadata are listed; nobody reads more, and a small message can hold a million."""


def metadata_problems(metadata: Any) -> Iterator[str]:
    """Give what keeps *metadata* from being kept as JSON, each once, with its place."""
    room = itertools.count()  # a value takes a byte or more, and one that stands in many places is counted in each
    walked = itertools.takewhile(lambda _: next(room) <= METADATA_BYTES, _walk(metadata, "", 1))
    problems = sorted(set(itertools.islice(filter(None, walked), MOST_PROBLEMS)))
    yield from problems
    if not problems and next(room) > METADATA_BYTES:
        yield f"has more than {METADATA_BYTES} bytes, at most {METADATA_BYTES} are allowed"
    elif not problems:
        size = len(json.dumps(metadata, ensure_ascii=False).encode("utf-8"))
        if size > METADATA_BYTES:
            yield f"has {size} bytes, at most {METADATA_BYTES} are allowed"


def _walk(value: Any, place: str, depth: int) -> Iterator[str]:
    """Give an empty text for each value that is met, and a sentence for each that is wrong."""
    yield ""
    if depth > METADATA_DEPTH:
        yield f"is nested deeper than {METADATA_DEPTH}"
    elif isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                yield f"{at(place)}has a key that is not text"
                continue
            yield from (f"{at(place)}a key {problem}" for problem in text_problems(key))
            yield from _walk(inner, _join(place, key), depth + 1)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _walk(inner, _join(place, str(number)), depth + 1)
    elif isinstance(value, str):
        yield from (f"{at(place)}{problem}" for problem in text_problems(value))
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{at(place)}is not a finite number"
    elif isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        yield f"{at(place)}does not fit 64 bits"
    elif value is not None and not isinstance(value, bool | int | float):
        yield f"{at(place)}is not a JSON value ({type(value).__name__})"


def _join(place: str, part: str) -> str:
    return place if text_problems(part) else f"{place}.{part}".lstrip(".")


def at(place: str) -> str:
    """Return *place* as the beginning of a line about it."""
    return f"{place}: " if place else ""
