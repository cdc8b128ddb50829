"""Turns that mention an entity."""

import uuid
from dataclasses import dataclass

from slowwave.domain.queries.episode import RememberedEpisode
from slowwave.formatting import brief, many

Span = tuple[int, int]
"""The start and end of words in an episode's content."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A turn that mentions an entity, and the positions of the mentions.

    *spans* are the characters of the episode's content that name the entity. If no characters name the entity, *spans*
    are the words that support facts about it. *facts* are the ids of all believed facts that the turn supports, also of
    facts that are not valid now.
    """

    episode: RememberedEpisode
    spans: tuple[Span, ...]
    facts: tuple[uuid.UUID, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The words of each span."""
        return tuple(self.episode.content[start:end] for start, end in self.spans)

    def __repr__(self) -> str:
        text = f"{self.episode.role}: {self.episode.content}"
        return brief(self, text, many(len(self.facts), "fact"), id=self.episode.id)
