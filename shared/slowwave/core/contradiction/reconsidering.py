"""Reconsideration: which beliefs hold no longer beside what was learned, and which say the same."""

import re
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from slowwave.core.beliefs.decision import Version
from slowwave.core.beliefs.identity import normal, text_of
from slowwave.core.contradiction.matters import Matters, said_of
from slowwave.core.contradiction.stemming import words_of
from slowwave.core.predicates.sentences import USER

NEAR_WORDS = 1.0
"""What words have to weigh that news shares with a belief: one that no other belief has, or several that few have."""
NEAR_MEANING = 0.55
"""Cosine of news and a belief that it ends, with which it shares several words: in nine lives .59 and above."""
NEAREST_MEANING = 0.70
"""The same where it shares a single word: at .62 and .64 five long conversations had others, at .75 a life had it."""
COMMON = 50
"""Beliefs of a scope that have a word which says nothing of any one of them: what it adds is a fiftieth of a word."""
SAME_WORDS = 0.75
"""Of the words of both, so many are shared where both say the same."""
SAME_MEANING = 0.93
"""Cosine of two that say the same: beneath it two days or two names differ."""

_CHANGED = re.compile(
    r"\b(?:no longer|any ?more|instead|switch(?:ed|es)|quit|left|gave up|given up|gives up|stopped|stops|hung up"
    r"|hangs up|retired|retires|sold|lost (?:my|the|his|her|their|its)|cancell?ed|broke up|split up|ended|is over"
    r"|are over|dropped|fixed|solved|resolved|bought|passed|finished|went back|died|sacked|got fired|was fired|resigned"
    r"|scrapped|replaced|handed in|postponed)\b",
    re.IGNORECASE,
)
_MAY_CHANGE = re.compile(
    rf"{_CHANGED.pattern}|\b(?:no more|over|off|done|gone|out|away|new|now|moved|changed?|became|turned|started|began"
    r"|closed|broke|broken|cut|swapped|traded|used to|finally|at last|lost|gave|sent|put|came|went|got)\b",
    re.IGNORECASE,
)
_INSTEAD_OF = re.compile(r"\binstead of (.+)", re.IGNORECASE)
"""What news names as over; its other words say what is so now."""
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_DENIED = re.compile(r"\b(?:not|no|never|neither|nor|without)\b|n't\b", re.IGNORECASE)
_UNREAL = re.compile(
    r"\?|\b(?:might|(?-i:may)|could|would|should|if|unless|wish\w*|hop(?:es|ed|ing)|want(?:s|ed)? to|plan\w*"
    r"|consider\w*|think\w* (?:of|about)|almost|nearly|never|not|going to)\b|n't\b",
    re.IGNORECASE,
)


Kind = Literal["ended", "contradicted", "same", "unsure"]
Meaning = Mapping[tuple[uuid.UUID, uuid.UUID], float]
"""The cosine of news and a belief, by their facts; none for those that were not compared."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict on a belief beside *news*: it has `ended`, is `contradicted`, or the news says the `same`.

    *beliefs* is the one it is about; those that it may be, where that is `unsure`.
    """

    news: Version
    kind: Kind
    beliefs: tuple[Version, ...]


def tells_change(version: Version) -> bool:
    """Return whether a belief tells of something that has changed, by a word of change, and not of what might."""
    text = text_of(version)
    return version.tense != "future" and _CHANGED.search(text) is not None and _UNREAL.search(text) is None


def change_in(text: str) -> tuple[int, int] | None:
    """Return where *text* may tell of something that has changed: its sentences with a word of change, but questions.

    >>> text = "Morning! The cast is off. Can you finally rest?"
    >>> begin, end = change_in(text)
    >>> text[begin:end]
    'The cast is off.'
    """
    found = [one for one in _SENTENCE.finditer(text) if _MAY_CHANGE.search(one[0]) and not one[0].endswith("?")]
    if not found:
        return None
    begin = found[0].start() + len(found[0][0]) - len(found[0][0].lstrip())
    return begin, found[-1].end()


def denies(version: Version) -> bool:
    """Return whether a belief says that something is not so."""
    return _DENIED.search(text_of(version)) is not None


def numbers_of(version: Version) -> frozenset[str]:
    """Return the words of a belief that have a digit in them."""
    return frozenset(word for word in words_of(text_of(version)) if any(one.isdigit() for one in word))


def verdicts(
    news: Sequence[Version], beliefs: Sequence[Version], meaning: Meaning, matters: Matters,
    *, common: Collection[str] = (),
) -> Iterator[Verdict]:  # fmt: skip
    """Give what *news* come to, in the order they were told, beside the *beliefs* that share words with them.

    *beliefs* are all that have one of these words but for the *common* ones, since a word weighs the less the more have
    it. A belief is ended once, and what says the same as one ends nothing.
    """
    gone: set[uuid.UUID] = set()
    for one in sorted(news, key=lambda version: (version.position, version.fact)):
        before = [other for other in beliefs if _was_before(other, one) and other.fact not in gone]
        verdict = _on_same_words(one, before, meaning)
        if verdict is None and tells_change(one):
            near = _nearest(one, before, meaning, matters, common)
            if near:
                verdict = Verdict(one, "ended" if len(near) == 1 else "unsure", tuple(near))
        if verdict is None:
            continue
        if verdict.kind != "unsure":
            gone.add(one.fact if verdict.kind == "same" else verdict.beliefs[0].fact)
        yield verdict


def _was_before(belief: Version, news: Version) -> bool:
    return belief.position < news.position and belief.fact != news.fact and belief.valid.covers(news.valid.start)


def _on_same_words(news: Version, beliefs: Sequence[Version], meaning: Meaning) -> Verdict | None:
    """Return that a belief says the same, or that what was said of it is denied now."""
    for belief in beliefs:
        if _has_same_words(news, belief) and meaning.get((news.fact, belief.fact), 0.0) >= SAME_MEANING:
            same = denies(news) == denies(belief)
            return Verdict(news, "same" if same else "contradicted", (belief,))
    return None


def _has_same_words(news: Version, belief: Version) -> bool:
    """True for two statements of one subject with nearly the same words: another number is another matter."""
    if "typed" in (news.form, belief.form) or normal(news.subject) != normal(belief.subject):
        return False
    mine, other = set(words_of(text_of(news))), set(words_of(text_of(belief)))
    as_often = numbers_of(news) == numbers_of(belief)
    return news.tense == belief.tense and as_often and len(mine & other) >= SAME_WORDS * len(mine | other)


def _nearest(
    news: Version, beliefs: Sequence[Version], meaning: Meaning, matters: Matters, common: Collection[str]
) -> list[Version]:
    """Return the beliefs that news of the same people is nearest to, by words and by meaning; of equals, all."""
    people = set(words_of(news.subject))
    text = text_of(news)
    over = _INSTEAD_OF.search(text)
    words = [word for word in words_of(over[1] if over else text) if word not in people and word not in common]
    changing = [belief for belief in beliefs if matters.words(belief)]
    shared = matters.shared(words, changing)
    weights = {fact: sum(each.values()) for fact, each in shared.items()}
    least = {fact: NEAR_MEANING if len(each) > 1 else NEAREST_MEANING for fact, each in shared.items()}
    near = [
        belief
        for belief in changing
        if weights.get(belief.fact, 0.0) >= NEAR_WORDS
        and meaning.get((news.fact, belief.fact), 0.0) >= least[belief.fact]
        and _of_same_people(news, belief, matters)
    ]
    best = max((weights[belief.fact] for belief in near), default=0.0)
    return [belief for belief in near if weights[belief.fact] == best]


def _of_same_people(news: Version, belief: Version, matters: Matters) -> bool:
    if normal(news.subject) == normal(belief.subject):
        return True
    people = set(words_of(news.subject))
    return normal(news.subject) != USER and bool(people) and people <= said_of(belief, matters.known(belief))
