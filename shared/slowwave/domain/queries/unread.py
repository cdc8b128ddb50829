"""Turns in unsupported languages: no pack read them, so nothing was learned from them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from slowwave.domain.queries.episode import RememberedEpisode
from slowwave.formatting.quantities import counted, language, listed
from slowwave.formatting.summary_lines import brief


@dataclass(frozen=True, slots=True)
class UnreadTurn:
    """A user's turn, and the code of its *language*, such as `de`, which no pack could read when it arrived."""

    episode: RememberedEpisode
    language: str

    def __repr__(self) -> str:
        return brief(self, self.language, self.episode.content, id=self.episode.id)


class UnreadTurns(list[UnreadTurn]):
    """A page of turns that were not read, the newest first.

    *languages* counts all such turns, not only the page's, by language code, the most frequent first. *reason* says why
    they were not read, and *remedy* which setting helps; each is empty if there is none.
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
        """One sentence: how many turns in which languages were not read, and why; empty if there is none."""
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
    """An effect of a run on the unread turns: its pack reads *languages*, or any language if that is empty.

    *unread* gives the language of each of the run's turns, by position, that no pack in force reads.
    """

    languages: frozenset[str]
    unread: Mapping[int, str]
