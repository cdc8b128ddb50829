"""The words that a model's claim cites, and how much of its object was said."""

from collections.abc import Sequence
from dataclasses import dataclass

from slowwave.rules.model_packs.quotes import Where, clause_at
from slowwave.rules.model_packs.transcript import Turn


@dataclass(frozen=True, slots=True)
class Cited:
    """The words that a claim rests on: its turn, the span of its quotation, and the turn that it answers, if any.

    *before* are the earlier turns of the session, nearest first.
    """

    turn: Turn
    span: Where
    before: Sequence[Turn]
    beside: Turn | None = None

    @property
    def words(self) -> str:
        """The words as they were said."""
        return self.turn.episode.content[slice(*self.span)]

    @property
    def clause(self) -> str:
        """The words with the earlier ones of their clause."""
        return clause_at(self.turn.episode.content, self.span)


@dataclass(frozen=True, slots=True)
class Support:
    """The share of an object's words said by persons, and the share said by anybody."""

    own: float
    every: float
