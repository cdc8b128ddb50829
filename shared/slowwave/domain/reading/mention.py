"""Turns that speak of an entity."""

import uuid
from dataclasses import dataclass

from slowwave.brief import brief, many
from slowwave.domain.reading.episode import RememberedEpisode

Span = tuple[int, int]
"""Where words begin in the content of an episode, and where they end."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A turn that speaks of an entity, and where in it.

    *spans* are the characters of the episode's content that name the entity; where none do, the words on which facts
    about it rest. *facts* are the ids of those that are believed, of whatever time, and rest on the turn.
    """

    episode: RememberedEpisode
    spans: tuple[Span, ...]
    facts: tuple[uuid.UUID, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The words that speak of it, a span each."""
        return tuple(self.episode.content[start:end] for start, end in self.spans)

    def __repr__(self) -> str:
        told = f"{self.episode.role}: {self.episode.content}"
        return brief(self, told, many(len(self.facts), "fact"), id=self.episode.id)
