"""Turns in languages that no pack reads. Slowwave learned nothing from these turns."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from slowwave.domain.queries.episode import RememberedEpisode
from slowwave.formatting import brief, counted, language, listed


@dataclass(frozen=True, slots=True)
class UnreadTurn:
    """A user's turn, and the code of its *language*, such as `de`.

    No pack could read the language when the turn arrived.
    """

    episode: RememberedEpisode
    language: str

    def __repr__(self) -> str:
        return brief(self, self.language, self.episode.content, id=self.episode.id)


class UnreadTurns(list[UnreadTurn]):
    """A page of unread turns, newest first.

    *languages* counts the unread turns of all pages by language code, most frequent first. *reason* says why the turns
    are unread, and *remedy* names the setting to change. Both are empty if there are no unread turns.
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
        """A sentence with the number of unread turns, their languages and the reason.

        It is empty if there are no unread turns.
        """
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
    """A change that a run writes to the list of unread turns.

    The pack of the run reads *languages*, or all languages if *languages* is empty. *unread* has the turns of the run
    in languages that no pack reads: the language code of the turn at each position.
    """

    languages: frozenset[str]
    unread: Mapping[int, str]
