"""A parsed sentence: its tokens, each with its tag, and the token it depends on."""

from collections.abc import Iterable
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


class Tree(list[Token]):
    """The tokens of a text in order, and *below*: the places of those that depend on each.

    A list by birth: its tokens are looked at so often that a method in between would be seen in the time.
    """

    __slots__ = ("below",)

    def __init__(self, tokens: Iterable[Token]) -> None:
        super().__init__(tokens)
        self.below: list[list[int]] = [[] for _ in self]
        for place, token in enumerate(self):
            if token.head != place:
                self.below[token.head].append(place)

    @property
    def roots(self) -> list[int]:
        """The places of the tokens that depend on no other."""
        return [place for place, token in enumerate(self) if token.head == place]

    def under(self, place: int, *deps: str) -> list[int]:
        """Return the places of what depends on *place* in one of these ways, in order."""
        return [child for child in self.below[place] if self[child].dep in deps]

    def whole(self, place: int, without: frozenset[int] = frozenset()) -> list[int]:
        """Return *place* and all below it, in no order; what is *without* is left out with all below."""
        found = [] if place in without else [place]
        below = self.below
        for one in found:
            for child in below[one]:
                if child not in without:
                    found.append(child)
        return found
