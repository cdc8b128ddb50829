"""The sentences that were said lately, the nearest last, and the thing a pronoun means; none where two fit."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache

from slowwave.domain.episode import StoredEpisode
from slowwave.ports.context import REACH
from slowwave.rules.reading import Sentence
from slowwave.rules.statements.back.phrases import Phrase, fits, phrases
from slowwave.rules.statements.clauses import stripped
from slowwave.rules.statements.meant import sentences, told_text
from slowwave.rules.statements.words import Word, words_of

TURNS_BACK = 4
"""Turns of a session in which something is looked for."""
SENTENCES_BACK = 8
"""Sentences, likewise."""
LONGEST_TURN = 4_000
"""Characters; who says more in one turn names too much."""
LONGEST_PAUSE = timedelta(days=1)
"""Between a question and its answer."""
SHORT = 3
"""Words and marks of a sentence that says no more than thanks."""
DEEPEST = 3
"""Pronouns of which each means what the one before it means."""


@dataclass(slots=True)
class Heard:
    """A sentence that was said: in a *turn* before (None: in the same), from *start* to *end* of its content.

    *own* says that whoever points back said it.
    """

    words: Sequence[Word]
    own: bool
    turn: StoredEpisode | None
    start: int
    end: int
    _phrases: list[Phrase] | None = None

    @property
    def phrases(self) -> list[Phrase]:
        """Its noun phrases, in order."""
        if self._phrases is None:
            self._phrases = phrases(stripped(self.words), own=self.own)
        return self._phrases

    @property
    def says(self) -> bool:
        """True for a sentence that says more than thanks."""
        return len(stripped(self.words)) > SHORT

    def names(self, phrase: Phrase) -> bool:
        """Return whether *phrase* names what both speak of: one's own, asked for, or shown by a *your* or a *that*."""
        if self.own or any(word.low == "?" for word in self.words[-2:]):
            return True
        return stripped(self.words)[phrase.place].low in ("your", "that", "this", "those", "these")


@dataclass(slots=True)
class Recent:
    """The sentences before one of *episode*: those of the *turns* before, read when first asked for, and its own."""

    episode: StoredEpisode
    turns: Sequence[StoredEpisode] = ()
    said: list[Heard] = field(default_factory=list)
    _earlier: list[Heard] | None = None

    def say(self, words: Sequence[Word], start: int, end: int) -> None:
        """Remember a sentence of who points back, in the same turn."""
        self.said.append(Heard(words, True, None, start, end))

    @property
    def earlier(self) -> list[Heard]:
        """The sentences of the turns before."""
        if self._earlier is None:
            self._earlier = [heard for turn in self.turns for heard in self._heard(turn)]
        return self._earlier

    @property
    def everything(self) -> list[Heard]:
        """All sentences, the nearest last."""
        return [*self.earlier, *self.said]

    def question(self) -> Heard | None:
        """Return the question that was put right before by the other, where only two talk and it is the only one."""
        last = self.turns[-1] if self.turns else None
        if (
            last is None
            or "?" not in last.content
            or not timedelta() <= self.episode.occurred - last.occurred <= LONGEST_PAUSE
        ):
            return None
        parties = {_party(turn) for turn in (*self.turns, self.episode)}
        if len(parties) != 2 or _party(last) == _party(self.episode):
            return None
        asking = [one for one in self.earlier if one.turn is last and any(word.low == "?" for word in one.words[-2:])]
        return asking[0] if len(asking) == 1 else None

    def meant(self, pronoun: str, heard: Sequence[Heard], depth: int = 0) -> tuple[Phrase, Heard] | None:
        """Return what *pronoun* (it, they, he, she) means behind the sentences *heard*, and the sentence that names it.

        The nearest sentence that names anything that fits decides: what stands behind a preposition is meant where
        nothing else is. None where two things fit, or where it cannot be said again.
        """
        passed = 0
        for at in range(len(heard) - 1, -1, -1):
            one = heard[at]
            if passed > (pronoun != "it" or not one.own) or self._too_far(one, heard, pronoun):
                return None
            found = [each for each in one.phrases if each.noun == pronoun or (not each.points and fits(each, pronoun))]
            if not found:
                passed += one.says
                continue
            top = [each for each in found if not each.behind] or found
            if len({each.noun for each in top}) > 1:
                if not top[0].points:
                    return None
                top = top[:1]
            if top[0].points:
                return self.meant(pronoun, heard[:at], depth + 1) if depth < DEEPEST else None
            return (top[0], one) if top[0].text and one.names(top[0]) else None
        return None

    def _too_far(self, one: Heard, heard: Sequence[Heard], pronoun: str) -> bool:
        """True for a sentence of a turn before the one right before the last; people are spoken of for longer."""
        turn = heard[-1].turn
        if pronoun in ("he", "she") and one.own:
            return False
        if turn is one.turn:
            return False
        return turn is not None or (bool(self.turns) and one.turn is not self.turns[-1])

    def _heard(self, turn: StoredEpisode) -> Iterator[Heard]:
        if len(turn.content) > LONGEST_TURN:
            return
        name = (self.episode.speaker or "").casefold()
        own = (turn.role, (turn.speaker or "").casefold()) == (self.episode.role, name)
        for sentence, words in parsed(turn.content)[-SENTENCES_BACK:]:
            mine = own if sentence.speaker is None else sentence.speaker.casefold() == name
            yield Heard(words, mine, turn, sentence.start, sentence.start + len(sentence.text))


@lru_cache(maxsize=128)
def parsed(content: str) -> list[tuple[Sentence, list[Word]]]:
    """Return the sentences of a turn's *content* that are meant, with their words."""
    return [(sentence, words_of(sentence.text)) for sentence in sentences(told_text(content))]


def _party(turn: StoredEpisode) -> str:
    return f"user {(turn.speaker or '').casefold()}" if turn.role == "user" else turn.role


def in_talk(
    episodes: Sequence[StoredEpisode], talk: Sequence[StoredEpisode]
) -> Iterator[tuple[StoredEpisode, list[StoredEpisode]]]:
    """Return each of *episodes*, which belong to a *talk*, with the turns before it in which it may look back."""
    sessions = defaultdict[str, list[StoredEpisode]](list)
    wanted = {episode.position for episode in episodes}
    for turn in talk:
        turns = sessions[turn.session]
        if turn.position in wanted:
            yield turn, _before(turns, turn)
        turns.append(turn)


def _before(turns: Sequence[StoredEpisode], episode: StoredEpisode) -> list[StoredEpisode]:
    """Return those of the *turns* of its session before it, in order, in which *episode* may look back: the last."""
    last = [turn for turn in turns[-TURNS_BACK:] if episode.position - REACH <= turn.position]
    return [turn for turn in last if turn.kind == "message" and turn.role in ("user", "assistant")]
