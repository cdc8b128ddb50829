"""The grouping of episodes into requests. Whole sessions stay together, with a few earlier turns as context."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby

from slowwave.core.beliefs.identity import text_of
from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.words import words_of
from slowwave.core.fold import Version
from slowwave.core.predicates import PLAIN
from slowwave.core.tokens import request, tokens
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model_calls import Chunk, Words
from slowwave.rules.model_packs.reply_format import SCHEMA
from slowwave.rules.model_packs.times import FOR_NOW
from slowwave.rules.model_packs.transcript import NumberedBelief, is_speech, lines, shown
from slowwave.rules.model_packs.verified_claims import EVENTS

TALK_TOKENS = 3_200
"""The maximum number of tokens of turns in a request. The prompt costs a third of these tokens for each request, and a
model reads longer talk less well.
"""
LEAST_A_TURN = 20
"""The least number of tokens that are counted for a turn, because a model must interpret even a nod."""
CONTEXT_TURNS = 4
"""The number of earlier turns of a session that are shown as context: two exchanges."""
BELIEF_TOKENS = 240
"""The maximum number of tokens of the beliefs that are shown, a seventh of the prompt. In nine test lives, two thirds
of these tokens had room for 120 of the 122 beliefs that shared a word with the talk.
"""
LONGEST_BELIEF = 160
"""The maximum number of characters of a statement that are shown."""
MOST_NAMES = 12
REPLY_TOKENS = 800
REPLY_A_TURN = 90
"""The number of reply tokens per turn, enough for about three claims. If a reply is cut off, the request is sent again
in two halves.
"""


@dataclass(frozen=True, slots=True)
class Beside:
    """The context of a request: earlier turns, beliefs, and names.

    *matters* finds the beliefs that share words with the turns.
    """

    before: Sequence[StoredEpisode] = ()
    beliefs: Sequence[Version] = ()
    names: Sequence[str] = ()
    matters: Matters = field(default_factory=lambda: Matters(PLAIN))


def cut(episodes: Sequence[StoredEpisode]) -> Iterator[list[StoredEpisode]]:
    """Give the turns among *episodes* in parts, session by session. The parts are few and of similar size."""
    turns = _by_session(filter(is_speech, episodes))
    costs = [max(LEAST_A_TURN, tokens(shown(turn)) + 4) for turn in turns]
    count = -(-sum(costs) // TALK_TOKENS)
    middles = [end - cost / 2 for end, cost in zip(accumulate(costs), costs, strict=True)]
    placed = [(int(middle * count / sum(costs)), turn) for middle, turn in zip(middles, turns, strict=True)]
    for _, part in groupby(placed, key=lambda one: one[0]):
        yield [turn for _, turn in part]


def _by_session(turns: Iterable[StoredEpisode]) -> list[StoredEpisode]:
    sessions: dict[str, list[StoredEpisode]] = {}
    for turn in sorted(turns, key=lambda one: one.position):
        sessions.setdefault(turn.session, []).append(turn)
    return [turn for session in sessions.values() for turn in session]


def chunk(prompt: str, turns: Sequence[StoredEpisode], beside: Beside) -> Chunk:
    """Return the request about *turns*, made of *prompt*, the context (*beside*), and the numbered turns."""
    context = _context(turns, beside.before)
    ordered = [*context, *turns]
    numbers = {turn.position: number for number, turn in enumerate(ordered, 1)}
    near = _near(ordered, beside.beliefs, beside.matters)
    called = next((v.object for v in beside.beliefs if (v.subject, v.predicate) == ("user", "name")), None)
    noted = {
        "turns": [turn.position for turn in ordered],
        "held": [[*NumberedBelief(v.subject, v.predicate, v.object, text_of(v), v.form)] for v in near],
        "names": list(beside.names),
        "called": called,
    }
    text = "\n".join(_prompt_lines(context, turns, numbers, near, beside.names, called))
    words = Words.of(prompt, text, SCHEMA, noted)
    return request(words, turns, context, most_tokens=REPLY_TOKENS + REPLY_A_TURN * len(turns))


def halves(prompt: str, whole: Chunk) -> tuple[Chunk, Chunk] | None:
    """Return a request split in two, in the order of its turns; None if only one of its turns is a user's.

    Each half has a user's turn, because an assistant's turns alone yield no claims.
    """
    turns = _by_session(whole.episodes)
    users = [number for number, turn in enumerate(turns) if turn.role == "user"]
    if len(users) < 2:
        return None
    middle = min(max(len(turns) // 2, users[0] + 1), users[-1])
    first, second = turns[:middle], turns[middle:]
    beside = [str(name) for name in whole.words.noted.get("names", ())]
    return (
        chunk(prompt, first, Beside(whole.before, names=beside)),
        chunk(prompt, second, Beside([*whole.before, *first], names=beside)),
    )


def _context(turns: Sequence[StoredEpisode], before: Sequence[StoredEpisode]) -> list[StoredEpisode]:
    """Return, for each session of *turns*, the last earlier turns of the session."""
    first: dict[str, int] = {}
    for turn in turns:
        first.setdefault(turn.session, turn.position)
    earlier = {one.position: one for one in before if is_speech(one) and one.position < first.get(one.session, 0)}
    found: list[StoredEpisode] = []
    for session in first:
        mine = [turn for _, turn in sorted(earlier.items()) if turn.session == session]
        found += mine[-CONTEXT_TURNS:]
    return found


def _near(turns: Sequence[StoredEpisode], believed: Sequence[Version], matters: Matters) -> list[Version]:
    """Return the earlier beliefs that the talk may change, as many as fit into a request.

    First come the beliefs that share the rarest words with the talk. Then come temporary beliefs ("for now"), beliefs
    with a single-valued predicate, and statements, the latest first. Ended beliefs, beliefs from these or later turns,
    and events are left out, because the model need not repeat them.
    """
    begins, now = turns[0].position, turns[0].occurred
    before = [
        v
        for v in believed
        if v.position < begins and v.valid.end > now and not (v.form == "typed" and v.predicate in EVENTS)
    ]
    words = (word for turn in turns for word in words_of(shown(turn)))
    nearness = {fact: sum(shares.values()) for fact, shares in matters.shared(words, before).items()}
    spoken = sorted((v for v in before if v.fact in nearness), key=lambda v: -nearness[v.fact])
    others = [v for v in before if v.fact not in nearness]
    passing = [v for v in others if FOR_NOW.search(text_of(v))]
    single = [v for v in others if v.key[2] is None and v not in passing]
    stated = sorted((v for v in others if v.form == "statement" and v not in passing), key=lambda v: -v.position)
    return list(_within(BELIEF_TOKENS, [*spoken, *passing, *single, *stated]))


def _within(budget: int, versions: Iterable[Version]) -> Iterator[Version]:
    """Give those of *versions* that fit into *budget* tokens, in order. A version that is too long is skipped."""
    for version in versions:
        cost = tokens(_shown(version)) + 2
        if cost <= budget:
            budget -= cost
            yield version


def _shown(version: Version) -> str:
    """Return a belief in the form that the model sees: a typed belief by its parts, a statement by its text."""
    if version.form == "typed":
        return f"{_line(version.subject)}|{version.predicate}|{_line(version.object)}"
    return _line(text_of(version), LONGEST_BELIEF)


def _prompt_lines(
    context: Sequence[StoredEpisode],
    turns: Sequence[StoredEpisode],
    numbers: Mapping[int, int],
    believed: Sequence[Version],
    names: Sequence[str],
    called: str | None,
) -> Iterator[str]:
    if called:
        yield f"USER IS CALLED {_line(called)}"
    people = [_line(name) for name in names if name.casefold() not in ("user", "assistant")]
    if people:
        yield "NAMES " + ", ".join(people[:MOST_NAMES])
    if believed:
        yield "HELD " + "; ".join(f"{number} {_shown(version)}" for number, version in enumerate(believed, 1))
    if context:
        yield "READ BEFORE, for understanding only:"
        yield from lines(context, numbers)
    yield f"TALK, turns {len(context) + 1} to {len(context) + len(turns)}:"
    yield from lines(turns, numbers)


def _line(text: str, most: int = 80) -> str:
    return " ".join(text.replace(";", ",").replace("|", "/").split())[:most]
