"""Talk as a model is shown it: numbered turns, one line each."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from slowwave.core.beliefs.identity import normal
from slowwave.domain.claim import Form
from slowwave.domain.episode import StoredEpisode
from slowwave.rules.model_packs.quotes import Where

LONGEST_TURN = 4_000
"""The most characters of a user's turn that are shown; longer ones are pasted text."""
LONGEST_ANSWER = 400
"""The most characters of an assistant's turn that are shown: its beginning, and its end, where it asks."""
LONGEST_NAME = 40
SPEAKING_ROLES = ("user", "assistant")

_LINE_OF_ITS_OWN = re.compile(r"^[ \t]*(?:>|\[memor(?:y|ies)\]|\[recalled\])[^\n]*", re.IGNORECASE | re.MULTILINE)
_BLOCK = re.compile(r"<memor(?:y|ies)>.*?(?:</memor(?:y|ies)>|\Z)", re.DOTALL | re.IGNORECASE)
_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]+")


def is_speech(episode: StoredEpisode) -> bool:
    """Return whether an episode is somebody's speech, not a tool call, a read memory or an outcome."""
    return episode.kind == "message" and episode.role in SPEAKING_ROLES


def pasted_spans(content: str) -> list[Where]:
    """Return the spans of *content* that were pasted back: blocks of memories, and quoted lines."""
    return sorted(found.span() for one in (_BLOCK, _LINE_OF_ITS_OWN) for found in one.finditer(content))


def speaker(episode: StoredEpisode) -> str:
    """Return the "I" of a turn as facts name them: by name if the agent gave one, else `user`."""
    if episode.role == "assistant":
        return "assistant"
    return " ".join((episode.speaker or "user").split())


def label(episode: StoredEpisode) -> str:
    """Return the speaker at the start of a line: a name that cannot be mistaken for another line or role."""
    name = " ".join(_CONTROL.sub(" ", speaker(episode)).replace(":", " ").split())[:LONGEST_NAME]
    return name if episode.role == "assistant" or name.casefold() not in ("assistant", "system", "tool") else "user"


def shown(episode: StoredEpisode) -> str:
    """Return a turn's text as one line: without pasted memories and code, and cut to the shown length."""
    text = _BLOCK.sub(" [recalled] ", episode.content)
    text = _CODE.sub(" [code] ", _LINE_OF_ITS_OWN.sub(" [recalled] ", text))
    text = " ".join(_CONTROL.sub(" ", text).split())
    if episode.role == "assistant" and len(text) > LONGEST_ANSWER:
        half = LONGEST_ANSWER // 2
        return f"{text[:half]} […] {text[-half:]}"
    return text if len(text) <= LONGEST_TURN else f"{text[:LONGEST_TURN]} […]"


def lines(turns: Sequence[StoredEpisode], numbers: Mapping[int, int]) -> list[str]:
    """Return *turns* as lines with their *numbers*, by position; each day or session begins with a header line."""
    found, before = list[str](), ("", "")
    for turn in turns:
        day = f"{turn.local:%A %Y-%m-%d}"
        if (turn.session, day) != before:
            found.append(f"# {day}")
            before = turn.session, day
        who = f"{label(turn)}: "
        found.append(f"{numbers[turn.position]} {who}{shown(turn).removeprefix(who)}")
    return found


class NumberedBelief(NamedTuple):
    """A belief that was shown beside a talk."""

    subject: str
    predicate: str
    object: str
    text: str = ""
    form: Form = "typed"


@dataclass(frozen=True, slots=True)
class Turn:
    """A numbered turn, and whether the model was asked about it or only shown it as context."""

    episode: StoredEpisode
    about: bool

    @property
    def users(self) -> bool:
        """True if a person said it."""
        return self.episode.role != "assistant"


@dataclass(frozen=True, slots=True)
class Transcript:
    """The turns of a chunk by number, with their context. *held* are beliefs by number.

    *names* are known in the scope, *called* is the user's name.
    """

    turns: Mapping[int, Turn]
    held: Mapping[int, NumberedBelief] = field(default_factory=dict)
    names: Sequence[str] = ()
    called: str | None = None
    texts: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, about: Sequence[StoredEpisode], beside: Sequence[StoredEpisode], noted: Mapping[str, Any]
    ) -> "Transcript":
        """Return the talk as *noted* when it was planned, without turns that are gone since."""
        here = {turn.position: Turn(turn, True) for turn in about}
        here |= {turn.position: Turn(turn, False) for turn in beside if turn.position not in here}
        numbered = {
            number: here[position] for number, position in enumerate(noted.get("turns", ()), 1) if position in here
        }
        held = {number: NumberedBelief(*one) for number, one in enumerate(noted.get("held", ()), 1)}
        texts = frozenset(normal(one.text) for one in held.values() if one.text)
        return cls(numbered, held, tuple(noted.get("names", ())), noted.get("called"), texts)

    def spoken_before(self, number: int) -> list[Turn]:
        """Return the turns of the same session shown before turn *number*, nearest first."""
        turn = self.turns[number].episode
        earlier = [one for other, one in self.turns.items() if one.episode.session == turn.session and other < number]
        return sorted(earlier, key=lambda one: -one.episode.position)
