"""Newer memories: what a person said later about something ranks above what the person said earlier about it."""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import lru_cache

from slowwave.core.contradiction.belief_state import DATED
from slowwave.core.contradiction.nouns import LIGHT
from slowwave.core.contradiction.words import MAY_BE_NEWS, stem, words_of
from slowwave.core.recall.candidate import Candidate, Ranked
from slowwave.core.recall.synonyms import REMEMBERED

AMONG = 5
"""The number of best memories that are compared when newer memories move before older memories with the same words."""
ALIKE = 0.6
"""The least match of the newer memory, as a share of the older memory's match."""
AS_MUCH = 0.9
"""The least weight of each of these words in the newer memory, as a share of its weight in the older memory. A near
synonym has a smaller share."""
LEAST_SHARE = 0.15
"""The least share of the question's words that an older memory must contain before it is compared with a newer
memory."""

NEWS_AMONG = 20
"""The number of best memories that are searched for news. A word that only two turns of these memories contain is
rare."""
NEWS_FOR = 2
"""The number of best memories that news may precede."""
NEWS_ALIKE = 0.6
"""The least match of news, as a share of the older memory's match."""
SHARED = 0.2
"""The least share of the question's words that news and the older memory both contain."""
RARE_ALIKE = 0.1
"""The least match of news that shares a rare word (such as the name of a drug) with an older answer, as a share of the
match of that answer."""
ANSWERING = 0.34
"""The least match of an older memory that shares only a rare word with news. A memory with a lower match owes its match
to its neighbours."""
FAST_CLOCK = timedelta(hours=1)
"""The maximum time by which another machine's clock may be fast. A turn that is further ahead was told after the time
of the question.
"""

_FORMER = re.compile(
    r"(?<!\bam )(?<!\bis )(?<!\bare )(?<!\bget )(?<!\bgot )(?<!\bgetting )(?<!'m )(?<!'re )\bused to\b"
    r"|\b(?:formerly|back when|in those days|as a (?:kid|child|boy|girl|teenager|student)|growing up)\b",
    re.IGNORECASE,
)
_SAY_LITTLE = LIGHT | set(map(stem, ["use", "want", "take", "come", "put", "bring", "sit", "stand", "set", "well"]))


def news_first(ranked: Sequence[Ranked], names: Collection[str]) -> list[Ranked]:
    """Return *ranked*, in which memories that may report a change (news) come before older memories about the same
    thing.

    Two memories are about the same thing if both contain the same words of the question, or a word that no other turn
    contains. *names* are words for people; such words do not show that two memories are about the same thing.
    """
    order = list(ranked)
    news = {
        one.candidate.id.int
        for one in order[:NEWS_AMONG]
        if _is_statement(one.candidate) and _tells_news(one.candidate.words)
    }
    looked_at, rare = order[:NEWS_AMONG], dict[int, set[str]]()

    def is_about(one: Ranked, other: Ranked) -> bool:
        alike = matched(one) >= NEWS_ALIKE * matched(other)
        if alike and _shares(one, other):
            return True
        if not alike and (matched(other) < ANSWERING or matched(one) < RARE_ALIKE * matched(other)):
            return False
        rare.update({} if rare else _rare_words(looked_at, names))
        return not rare[one.candidate.id.int].isdisjoint(rare[other.candidate.id.int])

    place = 0
    while news and place < min(NEWS_FOR, len(order)):
        old = order[place]
        about = [
            one
            for one in order[place + 1 : NEWS_AMONG]
            if one.candidate.id.int in news and _is_later(one.candidate, old.candidate) and is_about(one, old)
        ]
        if about:
            first = max(about, key=matched)
            order.remove(first)
            order.insert(place, replace(first, score=old.score, reasons={**first.reasons, "newer": 1.0}))
        place += 2 if about else 1
    return order


@lru_cache(maxsize=REMEMBERED)
def tells_of_former(text: str) -> bool:
    """Return whether *text* is about a former state, and therefore neither news nor an answer about the present.

    >>> tells_of_former("I used to live in Bath"), tells_of_former("I got used to Bath")
    (True, False)
    """
    return _FORMER.search(text) is not None


@lru_cache(maxsize=REMEMBERED)
def _tells_news(text: str) -> bool:
    return MAY_BE_NEWS.search(text) is not None and not tells_of_former(text)


def _rare_words(ranked: Sequence[Ranked], names: Collection[str]) -> dict[int, set[str]]:
    """Return, for each memory, the words that at most one other turn contains.

    A fact does not count as another turn.
    """
    called = {word for name in names for word in words_of(name)}
    word_sets = [_matter_words(each.candidate.words) - called for each in ranked]
    turns: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for each, words in zip(ranked, word_sets, strict=True):
        place = each.candidate.scope.int, each.candidate.position
        for word in words:
            turns[word].add(place)
    return {
        each.candidate.id.int: {word for word in words if len(turns[word]) <= 2}
        for each, words in zip(ranked, word_sets, strict=True)
    }


@lru_cache(maxsize=REMEMBERED)
def _matter_words(text: str) -> frozenset[str]:
    stems = words_of(MAY_BE_NEWS.sub(" ", DATED.sub(" ", text)))
    return frozenset(word for word in stems if len(word) > 2 or word.isdigit()) - _SAY_LITTLE


def last_first(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return *ranked*, in which newer memories come before older memories that match the same words of the question.

    People seldom announce a change; they say what is true now. Only the best memories are compared, and the newer
    memory must match about as well as the older memory.
    """
    order: list[Ranked] = []
    for one in ranked[:AMONG]:
        place = next((at for at, other in enumerate(order) if _says_again(one, other)), len(order))
        if place < len(order):
            one = replace(one, score=order[place].score, reasons={**one.reasons, "newer": 1.0})
        order.insert(place, one)
    return [*order, *ranked[AMONG:]]


def _says_again(one: Ranked, other: Ranked) -> bool:
    """Return whether *one* is a person's later memory that matches the question's words about as well as *other*."""
    later, earlier = one.candidate, other.candidate
    if not _is_statement(later) or not _is_later(later, earlier) or tells_of_former(later.words):
        return False
    if "fits" in other.reasons.keys() - one.reasons.keys():
        return False
    return (
        all(later.shares.get(word, 0.0) >= AS_MUCH * share for word, share in earlier.shares.items())
        and sum(earlier.shares.values()) >= LEAST_SHARE
        and matched(one) >= ALIKE * matched(other)
    )


def _shares(one: Ranked, other: Ranked) -> bool:
    """Return whether *one* and *other* both contain enough of the same words of the question."""
    mine, its = one.candidate.shares, other.candidate.shares
    return sum(min(share, its[word]) for word, share in mine.items() if word in its) >= SHARED


def _is_statement(one: Candidate) -> bool:
    """Return whether *one* has a person's words from before the question, and is neither a question nor a summary."""
    is_summary = one.kind == "fact" and (one.speaker or "").startswith("session/")
    return one.role != "assistant" and one.age >= -FAST_CLOCK and not one.asks and not is_summary


def _is_later(one: Candidate, other: Candidate) -> bool:
    """Return whether *one* was said later than *other*.

    An episode is not later than a fact whose latest source is this episode.
    """
    if other.kind == "fact" and (one.scope, one.position) == (other.scope, other.position):
        return False
    return (one.occurred, one.position) > (other.occurred, other.position)


def matched(one: Ranked) -> float:
    """Return the match of a memory with the question, which is its score before calibration."""
    return one.score if one.match is None else one.match
