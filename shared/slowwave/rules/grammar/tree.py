"""A parsed sentence: its tokens, each with its tag, and the token it depends on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

SPEAKER = frozenset(("i", "we"))
"""Who speaks, as a subject."""


class Token(NamedTuple):
    """A token of a text: where it stands, its Penn Treebank *tag*, and how (*dep*) it depends on the token *head*.

    *head* is a place among the tokens; that of a root is its own.
    """

    text: str
    low: str
    start: int
    end: int
    tag: str
    dep: str
    head: int


@dataclass(frozen=True, slots=True)
class Tree:
    """The tokens of a text in order, and the places of those that depend on each."""

    tokens: Sequence[Token]
    below: Sequence[Sequence[int]] = field(init=False)

    def __post_init__(self) -> None:
        below: list[list[int]] = [[] for _ in self.tokens]
        for place, token in enumerate(self.tokens):
            if token.head != place:
                below[token.head].append(place)
        object.__setattr__(self, "below", below)

    def __getitem__(self, place: int) -> Token:
        return self.tokens[place]

    @property
    def roots(self) -> list[int]:
        """The places of the tokens that depend on no other."""
        return [place for place, token in enumerate(self.tokens) if token.head == place]

    def under(self, place: int, *deps: str) -> list[int]:
        """Return the places of what depends on *place* in one of these ways, in order."""
        return [child for child in self.below[place] if self.tokens[child].dep in deps]

    def whole(self, place: int, without: frozenset[int] = frozenset()) -> Iterator[int]:
        """Return *place* and all below it, in no order; what is *without* is left out with all below."""
        waiting = [place]
        while waiting:
            one = waiting.pop()
            if one not in without:
                yield one
                waiting += self.below[one]
