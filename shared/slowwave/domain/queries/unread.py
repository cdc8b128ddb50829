"""Turns in languages that no pack reads: Slowwave learned nothing from them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from slowwave.domain.queries.episode import RememberedEpisode
from slowwave.formatting import brief, counted, language, listed


@dataclass(frozen=True, slots=True)
class UnreadTurn:
    """A user's turn, and the code of its *language*, such as `de`, which no pack could read when the turn arrived."""

    episode: RememberedEpisode
    language: str

    def __repr__(self) -> str:
        return brief(self, self.language, self.episode.content, id=self.episode.id)


class UnreadTurns(list[UnreadTurn]):
    """A page of unread turns, the newest first.

    *languages* counts all unread turns, not only those of the page, by language code, the most frequent first. *reason*
    says why they are unread, and *remedy* which setting to change; both are empty if there are none.
    """

    def __init__(
        self,
        turns: Iterable[UnreadTurn] = (),
        *,
        languages: Mapping[str, int] | None = None,
        reason: str = "",
        remedy: str = "",
    ) -> None:
        super().__init__(turns)
        self.languages = dict(languages or {})
        self.reason = reason
        self.remedy = remedy

    @property
    def sentence(self) -> str:
        """A sentence with the number of unread turns, their languages and the reason; empty if there are none."""
        if not self.languages:
            return ""
        count = sum(self.languages.values())
        return f"{in_languages(self.languages)} {'was' if count == 1 else 'were'} not read: {self.reason}."


def in_languages(counts: Mapping[str, int]) -> str:
    """Return the counts of turns by language, in words.

    >>> in_languages({"de": 2, "es": 1}), in_languages({"de": 1})
    ('3 turns in German (2) and Spanish (1)', '1 turn in German')
    """
    turns = counted(sum(counts.values()), "turns")
    if len(counts) == 1:
        return f"{turns} in {language(next(iter(counts)))}"
    return f"{turns} in {listed([f'{language(code)} ({count})' for code, count in counts.items()])}"


@dataclass(frozen=True, slots=True)
class ReadIn:
    """An effect of a run on the unread turns: its pack reads *languages*, or all languages if empty.

    *unread* has the language of each of the run's turns that no pack reads, by position.
    """

    languages: frozenset[str]
    unread: Mapping[int, str]
