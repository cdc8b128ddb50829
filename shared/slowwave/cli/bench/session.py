"""Benchmark of a long session while a real worker runs, and the sample conversation of this session."""

import random
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from slowwave import wiring
from slowwave.cli.bench.api_load import Workers
from slowwave.cli.bench.figures import Figures, home_of_services, timed
from slowwave.cli.bench.sample_data import installed
from slowwave.domain.context import PromptContext
from slowwave.domain.scope import Scope
from slowwave.domain.working_memory import Conversation
from slowwave.embedded_services import RedisServer
from slowwave.memory import MemoryScope, due_work
from slowwave.memory.working_memory import WorkingMemory

_TOPICS = (
    "kitchen renovation", "cello lessons", "allotment garden", "school play", "boat repair", "sourdough course",
    "choir trip", "bicycle tour", "attic conversion", "photo exhibition", "chess club", "beehive in the yard",
    "wedding of Ines", "roof inspection", "language exam", "puppy training", "charity run", "old piano", "book circle",
    "pottery workshop", "star party", "film archive", "cider pressing", "vegetable stall", "night train journey",
    "ceramics fair", "physiotherapy", "tax return", "house swap", "street festival",
)  # fmt: skip
_PEOPLE = ("Marta", "Jonas", "Aisha", "Piotr", "Leonie", "Tariq", "Greta", "Hugo", "Noor", "Sven", "Yuki", "Carla")
_PLACES = ("Ghent", "Turku", "Porto", "Graz", "Lund", "Cork", "Riga", "Bologna", "Nantes", "Bergen", "Basel", "Split")
_THINGS = ("ladder", "cash box", "projector", "tarpaulin", "tea urn", "toolbox", "trestle table", "extension lead")
_DAYS = ("the second Sunday in May", "Whit Monday", "the last Friday of June", "the ninth of October", "Candlemas")
_FLAWS = ("the wiring", "the insurance", "a cracked pane", "the parking permit", "overtime", "a missing signature")
_STATEMENTS = (
    ("For the {topic}, {person} brings the {thing} over from {place}.", "Who brings the {thing} for the {topic}?"),
    ("The {topic} costs {number} euros more than planned, because of {flaw}.", "Why is the {topic} dearer now?"),
    ("We put the {topic} off until {day}, {person} cannot come before.", "Until when is the {topic} put off?"),
    ("{person} from {place} knows most about the {topic}, says my aunt.", "Whom could I ask about the {topic}?"),
)
_SMALL = (
    "The rain has not stopped since breakfast.", "I could do with another coffee.", "What a long week this was.",
    "The neighbours are practising the trumpet again.", "I slept badly, the moon was so bright.",
    "My feet hurt from all the walking.", "There is a fox in the street again.",
)  # fmt: skip
_REPLIES = (
    "I see.", "That sounds good.", "Thanks for telling me.", "Understood.", "Oh, nice.", "All right, noted.",
    "Let me look.", "One moment, please.",
)  # fmt: skip
ASKED, STATED = 0.35, 0.45
"""The shares of user turns that ask a question and that state a fact. All other turns are small talk."""
LED_IN = 0.65
"""The share of questions for which an earlier turn mentions the topic."""
SOONEST = 10
"""The number of turns between a statement and the first question about the statement."""
SESSION = "long"
MAX_TOKENS = 4_000
A_PAUSE_SECONDS = 10.0
"""The longest pause before a person's next turn, in seconds. Anticipation must finish in this time."""
FOUND_AMONG = 10


@dataclass(frozen=True, slots=True)
class Exchange:
    """A user's *words*, the *key* of this turn, and the assistant's reply.

    *needs* is the key of the earlier turn that contains the answer.
    """

    key: str
    words: str
    reply: str
    needs: str | None = None


def talk(turns: int, *, seed: int = 1) -> Iterator[Exchange]:
    """Yield a conversation of *turns* turns, including the assistant's turns. Equal seeds give equal conversations."""
    chance = random.Random(seed)
    facts, stated, number = _facts(chance), list[tuple[int, str, str]](), 0
    while number < turns // 2:
        old = [one for one in stated if number - one[0] >= SOONEST // 2]
        kind = chance.random()
        if old and kind < ASKED:
            at, topic, question = chance.choice(old)
            if chance.random() < LED_IN:
                yield Exchange(f"t{number}", f"Coming back to the {topic} for a moment.", f"Yes, the {topic}. Go on.")
                number += 1
            yield Exchange(f"t{number}", question, chance.choice(_REPLIES), f"t{at}")
        elif kind < ASKED + STATED and (fact := next(facts, None)):
            topic, words, question = fact
            stated.append((number, topic, question))
            yield Exchange(f"t{number}", words, chance.choice(_REPLIES))
        else:
            yield Exchange(f"t{number}", chance.choice(_SMALL), chance.choice(_REPLIES))
        number += 1


def _facts(chance: random.Random) -> Iterator[tuple[str, str, str]]:
    """Yield different topics, each with a statement about the topic and a question that the statement answers."""
    for topic in chance.sample(_TOPICS, len(_TOPICS)):
        for words, question in chance.sample(_STATEMENTS, len(_STATEMENTS)):
            details = {
                "topic": topic,
                "person": chance.choice(_PEOPLE),
                "place": chance.choice(_PLACES),
                "thing": chance.choice(_THINGS),
                "day": chance.choice(_DAYS),
                "flaw": chance.choice(_FLAWS),
                "number": chance.randrange(100, 1_000),
            }
            yield topic, words.format(**details), question.format(**details)


@dataclass(slots=True)
class Question:
    """The result of a question: whether the turn with the answer was *evicted*, whether this turn was in working memory
    or prefetched (*at_hand*), and the similarity of the context to this turn (*likeness*).
    """

    evicted: bool
    at_hand: bool
    likeness: float


@dataclass(slots=True)
class Lived:
    """A session's figures: the largest numbers of turns and tokens in working memory (*turns*, *tokens*), the evicted
    turns, and the questions.

    *evictions* and *contexts* are times in milliseconds; *budgets* is the size of the largest context in tokens.
    """

    turns: int = 0
    tokens: int = 0
    evicted: list[str] = field(default_factory=list)
    evictions: list[float] = field(default_factory=list)
    contexts: list[float] = field(default_factory=list)
    budgets: int = 0
    questions: list[Question] = field(default_factory=list)


def measure(url: str, owner_url: str, most: int) -> Figures:
    """Return the figures of a session of 150 turns and one of *most* turns, each with its target."""
    figures = Figures("session")
    with (
        home_of_services() as home,
        RedisServer(home / "redis", durable=False) as cache,
        installed(url, owner_url, cache_url=cache.url()) as parts,
        Workers(url, 1),
    ):
        for turns in dict.fromkeys((min(150, most), most)):
            _tell(figures, turns, parts, MemoryScope(parts, Scope("default", f"user-{turns}", "bench")))
    return figures


def _tell(figures: Figures, turns: int, parts: wiring.Parts, scope: MemoryScope) -> None:
    lived = live(parts, scope, list(talk(turns)))
    due_work.drain(parts, scope.scope.id, 600)
    evicted = [one for one in lived.questions if one.evicted]
    tenth = max(1, len(evicted) // 10)
    likeness = [one.likeness for one in evicted]
    memory = scope.working(SESSION)

    figures.add(f"{turns} turns: most turns in working memory (target {memory.limits.turns})", lived.turns, "turns")
    figures.add(f"  of {memory.limits.tokens:,} tokens at most", lived.tokens, "tokens")
    figures.add("  evicted", len(lived.evicted), "turns")
    figures.add("  of them found again (target 1)", found_again(scope, lived.evicted))
    figures.add("  questions", len(lived.questions))
    figures.add("  whose answer had been evicted", len(evicted))
    figures.add("  most that a context took (target 4,000)", lived.budgets, "tokens")
    figures.add("  reconstruction of it (target 0.9)", statistics.fmean(likeness))
    figures.add("  reuse (target more than 0.5)", statistics.fmean(one.at_hand for one in lived.questions))
    figures.add("    where it had been evicted", statistics.fmean(one.at_hand for one in evicted))
    last, first = statistics.fmean(likeness[-tenth:]), statistics.fmean(likeness[:tenth])
    figures.add("  last tenth less the first (target 0 or more)", last - first)
    figures.add("  eviction with its summary, 95 of 100 (target 100)", _95(lived.evictions), "ms")
    figures.add("  context, 95 of 100", _95(lived.contexts), "ms")


def live(parts: wiring.Parts, scope: MemoryScope, exchanges: Sequence[Exchange]) -> Lived:
    """Run the conversation as an agent would; return the figures.

    Before each answer, a context is built; then both turns are added.
    """
    lived, memory = Lived(), scope.working(SESSION)
    words = {one.key: one.words for one in exchanges}
    for one in exchanges:
        before = {turn.id for turn in memory.get_recent_turns()}
        ready = _anticipated_ids(parts, scope)
        seconds, context = timed(partial(scope.context, one.words, session=SESSION, max_tokens=MAX_TOKENS))
        lived.contexts.append(1000 * seconds)
        lived.budgets = max(lived.budgets, context.tokens)
        if one.needs is not None:
            needed = words[one.needs]
            at_hand = one.needs in before or needed in ready
            lived.questions.append(Question(one.needs not in before, at_hand, _likeness(parts, context, needed)))
        _say(memory, scope, one, lived)
    return lived


def _anticipated_ids(parts: wiring.Parts, scope: MemoryScope) -> set[str]:
    """Wait at most `A_PAUSE_SECONDS` until memories are prefetched; return the texts of these memories."""
    of = Conversation(scope.scope, SESSION)
    parts.anticipation.settled(of, A_PAUSE_SECONDS)
    return {one.text for one in parts.anticipation.ready(of)}


def _say(memory: WorkingMemory, scope: MemoryScope, exchange: Exchange, lived: Lived) -> None:
    """Add both turns. If turns are evicted, measure the time until a summary covers the evicted turns."""
    for key, role, words in (
        (exchange.key, "user", exchange.words),
        (f"{exchange.key}-reply", "assistant", exchange.reply),
    ):
        before = {turn.id: turn.content for turn in memory.get_recent_turns()}
        added, _ = timed(partial(memory.add_turn, words, role=role, key=key))  # type: ignore[arg-type]  # one of the two
        in_mind = memory.get_recent_turns()
        left = before.keys() - {one.id for one in in_mind}
        if left:
            lived.evictions.append(1000 * (added + timed(lambda: scope.summary(SESSION))[0]))
        lived.evicted += [turn for turn in before if turn in left and not turn.endswith("-reply")]
        lived.turns = max(lived.turns, len(in_mind))
        lived.tokens = max(lived.tokens, sum(turn.tokens for turn in in_mind))


def _likeness(parts: wiring.Parts, context: PromptContext, needed: str) -> float:
    """Return the highest cosine similarity between any part of a context and the turn *needed*."""
    contents = [part.content for part in context.parts]
    vectors = parts.embedder.embed([needed, *contents])
    return float((vectors[1:] @ vectors[0]).max(initial=0.0))


def found_again(scope: MemoryScope, evicted: Sequence[str]) -> float:
    """Return the share of *evicted* turns that recall returns word for word."""
    found = 0
    for key in evicted:
        words = scope.episode(key).content
        cue = " ".join(words.split()[1:]).replace("?", "")  # not all words: recall leaves out the question
        found += words in [one.content for one in scope.retrieve(cue, limit=FOUND_AMONG)]
    return found / len(evicted) if evicted else 1.0


def _95(milliseconds: Sequence[float]) -> float:
    return sorted(milliseconds)[int(0.95 * len(milliseconds))] if milliseconds else 0.0
