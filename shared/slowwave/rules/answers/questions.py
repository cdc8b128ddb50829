"""The question that a turn answers: asked by the other party in the turn before."""

import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from slowwave.domain.episode import StoredEpisode
from slowwave.rules import sentence_splitting

TURNS_BACK = 6
"""The turns of a session that are checked for other speakers: with a third one it is unclear who was asked."""
LONGEST_PAUSE = timedelta(days=1)
"""The longest time between a question and its answer."""
LONGEST_TURN = 4_000
"""The most characters of a turn that can be a question."""
MOST_SENTENCES = 100
_ASKS = re.compile(r"\?[^A-Za-z0-9]*$")
_WORDS = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Question:
    """The words of a *turn* that ask, from character *start* on, with their surroundings as plain text."""

    turn: StoredEpisode
    text: str
    start: int


def questions(
    before: Iterable[StoredEpisode],
    episodes: Iterable[StoredEpisode],
    not_names: frozenset[str],
    worth: Callable[[str], bool],
) -> dict[int, Question]:
    """Return the question that each of *episodes* may answer, by position, if there is one.

    The question was asked in the turn before, in the same session, by the other party, in a talk of two. It is the
    turn's only question; in a turn without a question its last sentence, which the answer may confirm. Turns whose
    plain text is not *worth* reading are skipped.
    """
    here = {episode.position: episode for episode in episodes}
    turns = sorted({**{turn.position: turn for turn in before}, **here}.values(), key=lambda turn: turn.position)
    talks = defaultdict[str, deque[tuple[str, StoredEpisode]]](lambda: deque(maxlen=TURNS_BACK))
    found: dict[int, Question] = {}
    for turn in (turn for turn in turns if turn.kind == "message" and turn.role in ("user", "assistant")):
        talk, own = talks[turn.session], _party(turn)
        if turn.position in here and talk and _answers(own, turn, talk):
            asked = _question(talk[-1][1], not_names, worth)
            found |= {turn.position: asked} if asked else {}
        talk.append((own, turn))
    return found


def _answers(own: str, turn: StoredEpisode, talk: Sequence[tuple[str, StoredEpisode]]) -> bool:
    other, asked = talk[-1]
    if other == own or not timedelta() <= turn.occurred - asked.occurred <= LONGEST_PAUSE:
        return False
    return all(party in (other, own) for party, _ in talk)


def _party(turn: StoredEpisode) -> str:
    """Name the party of a turn: the assistant, a named person, or the unnamed user."""
    return f"{turn.role} {(turn.speaker or '').casefold()}" if turn.role == "user" else turn.role


def _question(turn: StoredEpisode, not_names: frozenset[str], worth: Callable[[str], bool]) -> Question | None:
    if len(turn.content) > LONGEST_TURN or not worth(text := sentence_splitting.plain(turn.content)):
        return None
    told = list(islice(sentence_splitting.sentences(text, not_names), MOST_SENTENCES))
    told = [sentence for sentence in told if _WORDS.search(sentence.text)]
    asking = [sentence for sentence in told if _ASKS.search(sentence.text)] or told[-1:]
    if len(asking) != 1 or asking[0].speaker:
        return None
    return Question(turn, asking[0].text, asking[0].start)
