"""Episodes to requests: turns of whole sessions together, as many as a model reads with care, and a few before them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slowwave.core.beliefs.identity import text_of
from slowwave.core.fold import Version
from slowwave.core.tokens import tokens
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model.chunk import Chunk, Message, Words
from slowwave.rules.reader.making import EVENTS
from slowwave.rules.reader.said import SCHEMA
from slowwave.rules.reader.talk import heard, lines, shown
from slowwave.rules.reader.words import Said, content

TALK_TOKENS = 2_600
"""Of the turns of a request: the prompt before them costs a third of that each time, and more are read less well."""
MOST_TURNS = 64
CONTEXT_TURNS = 4
"""Turns before that a session goes on from: two exchanges."""
MOST_HELD = 12
MOST_NAMES = 12
REPLY_TOKENS = 800
REPLY_A_TURN = 90
"""The limit of a reply: about three claims a turn. A reply that is cut is asked for in halves."""


@dataclass(frozen=True, slots=True)
class Beside:
    """Everything told beside the turns: turns before them, beliefs near them, names, what the user is called."""

    before: Sequence[StoredEpisode] = ()
    held: Sequence[Version] = ()
    names: Sequence[str] = ()


def cut(episodes: Sequence[StoredEpisode]) -> Iterator[list[StoredEpisode]]:
    """Give the turns among *episodes* in parts, session by session, each up to the limits, with a user in each."""
    part: list[StoredEpisode] = []
    size = 0
    for turn in _by_session(filter(heard, episodes)):
        cost = tokens(shown(turn)) + 4
        if part and (size + cost > TALK_TOKENS or len(part) == MOST_TURNS):
            yield part
            part, size = [], 0
        part.append(turn)
        size += cost
    if part:
        yield part


def _by_session(turns: Iterable[StoredEpisode]) -> list[StoredEpisode]:
    sessions: dict[str, list[StoredEpisode]] = {}
    for turn in sorted(turns, key=lambda one: one.position):
        sessions.setdefault(turn.session, []).append(turn)
    return [turn for session in sessions.values() for turn in session]


def chunk(prompt: str, turns: Sequence[StoredEpisode], beside: Beside) -> Chunk:
    """Return the request about *turns*: *prompt*, what is told beside them, and the turns under numbers."""
    context = _context(turns, beside.before)
    ordered = [*context, *turns]
    numbers = {turn.position: number for number, turn in enumerate(ordered, 1)}
    near = _near(ordered, beside.held)
    called = next((v.object for v in beside.held if (v.subject, v.predicate) == ("user", "name")), None)
    noted = {
        "turns": [turn.position for turn in ordered],
        "held": [[v.subject, v.predicate, v.object, text_of(v)] for v in near],
        "names": list(beside.names),
        "called": called,
    }
    messages: list[Message] = [
        {"role": "system", "content": prompt},
        {"role": "user", "content": "\n".join(_told(context, turns, numbers, near, beside.names, called))},
    ]
    return Chunk(
        episodes=tuple(sorted(turns, key=lambda one: one.position)),
        before=tuple(sorted(context, key=lambda one: one.position)),
        words=Words(messages, SCHEMA, noted),
        prompt_tokens=sum(tokens(message["content"]) + 4 for message in messages),
        most_tokens=REPLY_TOKENS + REPLY_A_TURN * len(turns),
    )


def halves(prompt: str, whole: Chunk) -> tuple[Chunk, Chunk] | None:
    """Return a request in two, by its turns in the order they were told; None for a single turn."""
    turns = _by_session(whole.episodes)
    if len(turns) < 2:
        return None
    first, second = turns[: len(turns) // 2], turns[len(turns) // 2 :]
    beside = _beside(whole.words.noted)
    return (
        chunk(prompt, first, Beside(whole.before, names=beside)),
        chunk(prompt, second, Beside([*whole.before, *first], names=beside)),
    )


def _beside(noted: Mapping[str, Any]) -> list[str]:
    return [str(name) for name in noted.get("names", ())]


def _context(turns: Sequence[StoredEpisode], before: Sequence[StoredEpisode]) -> list[StoredEpisode]:
    """The last turns of each session that begins further back."""
    first: dict[str, int] = {}
    for turn in turns:
        first.setdefault(turn.session, turn.position)
    told = {one.position: one for one in before if heard(one) and one.position < first.get(one.session, 0)}
    found: list[StoredEpisode] = []
    for session in first:
        mine = [turn for _, turn in sorted(told.items()) if turn.session == session]
        found += mine[-CONTEXT_TURNS:]
    return found


def _near(turns: Sequence[StoredEpisode], held: Sequence[Version]) -> list[Version]:
    """The typed beliefs that the talk comes near to, those of last first; what happened is told anew, and better."""
    said = Said([shown(turn) for turn in turns])
    typed = (v for v in held if v.form == "typed" and v.predicate not in EVENTS)
    return [v for v in typed if any(map(said.has_form, content(f"{v.predicate} {v.object}")))][:MOST_HELD]


def _told(
    context: Sequence[StoredEpisode],
    turns: Sequence[StoredEpisode],
    numbers: Mapping[int, int],
    held: Sequence[Version],
    names: Sequence[str],
    called: str | None,
) -> Iterator[str]:
    if called:
        yield f"USER IS CALLED {_line(called)}"
    people = [_line(name) for name in names if name.casefold() not in ("user", "assistant")]
    if people:
        yield "NAMES " + ", ".join(people[:MOST_NAMES])
    if held:
        yield "HELD " + "; ".join(
            f"{number} {_line(v.subject)}|{v.predicate}|{_line(v.object)}" for number, v in enumerate(held, 1)
        )
    if context:
        yield "READ BEFORE, for understanding only:"
        yield from lines(context, numbers)
    yield f"TALK, turns {len(context) + 1} to {len(context) + len(turns)}:"
    yield from lines(turns, numbers)


def _line(text: str) -> str:
    return " ".join(text.replace(";", ",").replace("|", "/").split())[:80]
