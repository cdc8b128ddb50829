"""Turns in languages that nothing read: nothing was learned from them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from slowwave.brief import brief
from slowwave.domain.reading.episode import RememberedEpisode
from slowwave.words import counted, language, listed


@dataclass(frozen=True, slots=True)
class UnreadTurn:
    """A turn of a user, and the code of its *language*, such as `de`, which nothing read when the turn came."""

    episode: RememberedEpisode
    language: str

    def __repr__(self) -> str:
        return brief(self, self.language, self.episode.content, id=self.episode.id)


class UnreadTurns(list[UnreadTurn]):
    """A page of turns that were not read, those told last first.

    *languages* counts all such turns here, not those of the page alone, by the codes of their languages, the most
    frequent first. *reason* says why they were not read, and *remedy* what to set; each is empty where there is none.
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
        """One sentence: how many turns in which languages were not read, and why; empty where there is none."""
        if not self.languages:
            return ""
        count = sum(self.languages.values())
        return f"{in_languages(self.languages)} {'was' if count == 1 else 'were'} not read: {self.reason}."


def in_languages(counts: Mapping[str, int]) -> str:
    """Return how many turns there are in which languages, in words.

    >>> in_languages({"de": 2, "es": 1}), in_languages({"de": 1})
    ('3 turns in German (2) and Spanish (1)', '1 turn in German')
    """
    turns = counted(sum(counts.values()), "turns")
    if len(counts) == 1:
        return f"{turns} in {language(next(iter(counts)))}"
    return f"{turns} in {listed([f'{language(code)} ({count})' for code, count in counts.items()])}"


@dataclass(frozen=True, slots=True)
class ReadIn:
    """An effect of a run on what is unread: its pack reads *languages*, or any where it names none.

    *unread* are the turns of the run that neither this pack nor another in force reads: languages by position.
    """

    languages: frozenset[str]
    unread: Mapping[int, str]
