"""Spans of secrets in a text, and their masks."""

import re
from bisect import bisect_left
from collections.abc import Iterable
from typing import Literal, NamedTuple, Protocol, TypeVar, get_args

Kind = Literal["password", "PIN", "code", "key", "token", "card number"]
"""The kind of a secret, as its mask names it."""

MASK = re.compile(rf"\[(?:{'|'.join(get_args(Kind))}) masked\]")
"""The pattern of a mask; text in a mask is not a secret."""


class Span(NamedTuple):
    """A secret of a *kind*, from *start* to *end* in a text."""

    start: int
    end: int
    kind: Kind


class _Place(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


Place = TypeVar("Place", bound=_Place)


def outside_masks(text: str, places: Iterable[Place]) -> list[Place]:
    """Return those of *places* that overlap no mask in *text*."""
    held = [found.span() for found in MASK.finditer(text)]
    if not held:
        return list(places)
    return [one for one in places if not (at := bisect_left(held, (one.end,))) or held[at - 1][1] <= one.start]


def mask_of(kind: Kind) -> str:
    """Return the mask for a secret of *kind*.

    >>> mask_of("password")
    '[password masked]'
    """
    return f"[{kind} masked]"


def apart(spans: Iterable[Span]) -> list[Span]:
    """Return *spans* in order, with overlapping ones merged into the kind of the first."""
    found: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        if found and span.start < found[-1].end:
            found[-1] = found[-1]._replace(end=max(found[-1].end, span.end))
        else:
            found.append(span)
    return found
