"""The digests that an episode may have had when it was pushed, computed from what a database or a file has of it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import product
from typing import Any

from slowwave.domain.episode import digest_of
from slowwave.domain.limits import whole_number

_EXACT = 10**16
"""From here on, Python writes a float with an exponent."""
_MOST_INTEGER = 2**63
"""No integer in metadata is as large; see `metadata_problems`."""
_LARGEST = 2**1024 - 2**970
"""No float is as large."""
_MOST_AMBIGUOUS = 8
"""More numbers that may have been written in two ways are not tried one by one, but only all in the same way."""


def possible_digests(
    content: str,
    session: str,
    role: str,
    kind: str,
    occurred: datetime,
    received: datetime,
    metadata: Mapping[str, Any],
) -> Iterator[bytes]:
    """Yield the digests, see `Episode.digest`, that an episode with these stored fields may have; usually one or two.

    An episode without a time of its own gets the time of receipt. Former versions computed the digest before Postgres
    stored the number 1e16 as 10000000000000000 and -0.0 as 0.0; see `as_stored`. So metadata with such numbers have
    several possible digests.
    """
    times = (occurred, None) if occurred == received else (occurred,)
    for at in times:
        yield digest_of(content, session, role, kind, at, metadata)
    for said in _former(metadata):
        for at in times:
            yield digest_of(content, session, role, kind, at, said, former=True)


def _former(metadata: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    zeros: list[bool] = []  # for each ambiguous number, whether it is zero

    def note(value: float) -> float:
        zeros.append(value == 0)
        return value

    yield _with_numbers(metadata, note)
    if not zeros:
        return
    choices: Iterable[Sequence[bool]] = product((False, True), repeat=len(zeros))
    if len(zeros) > _MOST_AMBIGUOUS:
        choices = [[not zero for zero in zeros], zeros, [True] * len(zeros)]
    for chosen in choices:
        yield _with_numbers(metadata, partial(_chosen, iter(chosen)))


def _chosen(others: Iterator[bool], value: float) -> float:
    """Return *value*, or the other number that Postgres stores as *value* if the next of *others* is true."""
    if not next(others):
        return value
    return -0.0 if value == 0 else float(value)


def _with_numbers(value: Any, choose: Callable[[float], float]) -> Any:
    """Return the JSON *value* with the result of *choose* for each number that may have been written in two ways."""
    match value:
        case dict():
            return {key: _with_numbers(one, choose) for key, one in value.items()}
        case list():
            return [_with_numbers(one, choose) for one in value]
        case bool():
            return value
        case int() if _MOST_INTEGER <= abs(value) < _LARGEST:
            return float(value)
        case int() if _EXACT <= abs(value) < _MOST_INTEGER and whole_number(float(value)) == value:
            return choose(value)
        case float() if value == 0:
            return choose(value)
    return value
