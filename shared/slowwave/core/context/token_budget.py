"""Room in a prompt: a token budget from which parts are taken, never exceeded."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile

from slowwave.domain.context import Part

Count = Callable[[str], int]
"""A function that counts the tokens of a text."""
A_MESSAGE = 4
"""Tokens around a message that mark its start, end, and role; chat models use three or four."""


class TokenBudget:
    """The remaining room of *most* tokens, by *count*."""

    def __init__(self, most: int, count: Count) -> None:
        self.most = self.left = most
        self.count = count
        self._costs: dict[str, int] = {}

    def cost(self, part: Part) -> int:
        """Return the tokens of a part, including its message frame."""
        if part.line not in self._costs:
            self._costs[part.line] = self.count(part.line) + A_MESSAGE
        return self._costs[part.line]

    def those_that_fit(self, parts: Sequence[Part], *, stop_at_overflow: bool = False) -> list[Part]:
        """Take the parts that fit, in order; with *stop_at_overflow* stop at the first that does not."""
        taken = []
        for part in parts:
            if self.cost(part) <= self.left:
                taken.append(self._taken(part))
            elif stop_at_overflow:
                break
        return taken

    def newest(self, parts: Sequence[Part], *, share: float = 1.0) -> list[Part]:
        """Take the last parts without a gap, as many as fit a *share* of the room; return them in order."""
        floor = self.left - self.left * share
        fitting = takewhile(lambda part: self.left - self.cost(part) >= floor, reversed(parts))
        return [self._taken(part) for part in fitting][::-1]

    def first_that_fits(self, parts: Sequence[Part], *, share: float) -> list[Part]:
        """Take the first part that fits a *share* of the room; return it, or nothing."""
        found = next((part for part in parts if self.cost(part) <= self.left * share), None)
        return [] if found is None else [self._taken(found)]

    def _taken(self, part: Part) -> Part:
        cost = self.cost(part)
        self.left -= cost
        return replace(part, tokens=cost)
