"""Judgements of a model on beliefs. A judgement changes a belief, needs a person's decision, or is refused.

Two checks decide: the cited words must have been said, and they must be about the judged belief.
"""

import re
import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from slowwave.core.beliefs.identity import normal, text_of
from slowwave.core.beliefs.versions import Version
from slowwave.core.contradiction.belief_state import belief_words
from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.people import is_about_another
from slowwave.core.contradiction.reconsideration import DENIED, NEAR_MEANING, Kind, Meaning, denies, numbers_of
from slowwave.core.contradiction.words import MAY_BE_NEWS, words_of
from slowwave.core.predicates.sentences import USER
from slowwave.domain.claim import Source
from slowwave.domain.episode import StoredEpisode

NEAR_ENOUGH = 0.45
"""The least nearness of words and a belief for a question to the model: one word that only two beliefs contain, or the
equivalent in words and similarity. In nine simulated lives with one night per session, these prompts take 8 % of the
tokens that reading the talk takes.
"""
Nearness = Mapping[tuple[int, uuid.UUID], float]
"""The nearness of words to a belief, by the position of the words and the belief's fact: higher is nearer."""

_SUPPOSED = re.compile(
    r"\?|\b(?:might|(?-i:may)|could|would|should|if|unless|wish\w*|hop(?:e|es|ed|ing)|want(?:s|ed)? to|plan\w*"
    r"|consider\w*|think\w* (?:of|about)|almost|nearly|going to|will|maybe|perhaps|imagine|suppos\w+)\b|'ll\b",
    re.IGNORECASE,
)
_REMOVED = re.compile(
    r"\b(?:emptied|cleared|removed|deleted|threw|thrown|returned|rid of|declined|lapsed|expired|recovered|healed)\b",
    re.IGNORECASE,
)
_ENGLISH = re.compile(r"\b(?:I|the|my|our|and|with|of|to|is)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class QuotedTurn:
    """The characters from *start* to *end* of a turn (*episode*).

    *news* are the facts learned from the turn, and *ended* are the beliefs that the turn ended.
    """

    episode: StoredEpisode
    start: int
    end: int
    news: tuple[Version, ...] = ()
    ended: tuple[Version, ...] = ()

    @property
    def position(self) -> int:
        """The position of the turn in the scope."""
        return self.episode.position

    @property
    def words(self) -> str:
        """The quoted words."""
        return self.episode.content[self.start : self.end]

    @property
    def people(self) -> list[str]:
        """The names of the speaker and of the subjects of the turn's facts, in the spelling of the facts."""
        return [" ".join((self.episode.speaker or USER).split()), *(one.subject for one in (*self.news, *self.ended))]

    @property
    def facts(self) -> str:
        """The facts learned from the turn and the facts that the turn ended, in words."""
        return " ".join(map(text_of, (*self.news, *self.ended)))


@dataclass(frozen=True, slots=True)
class ModelJudgement:
    """A model's judgement on a fact (*belief*), drawn from the turn at *position*.

    *source* has the cited words. If *sure* is False, a person decides.
    """

    kind: Literal["ended", "contradicted", "same"]
    belief: uuid.UUID
    position: int
    source: Source
    sure: bool = True


@dataclass(frozen=True, slots=True)
class WeighedJudgement:
    """A *judgement* and the result of its check: a *kind*, or the reason for a refusal (*refused*).

    *beliefs* has the judged belief. If the kind is `unsure`, a person decides, and *beliefs* has all possible beliefs.
    *repeats* is the new fact that only repeats the belief, if there is one.
    """

    judgement: ModelJudgement
    kind: Kind | None = None
    beliefs: tuple[Version, ...] = ()
    repeats: Version | None = None
    refused: str = ""


def nearness(
    turns: Iterable[QuotedTurn],
    beliefs: Sequence[Version],
    meaning: Meaning,
    matters: Matters,
    *,
    common: Collection[str] = (),
) -> dict[tuple[int, uuid.UUID], float]:
    """Return the nearness of turns to the *beliefs* that they may change, by the turn's position and the belief's fact.

    Nearness is the weight of shared words plus the similarity of meaning; pairs below a threshold are left out. A turn
    may change earlier beliefs about the same people, if these beliefs still hold and are not permanent. A belief that
    is similar to an ended belief is near too. *common* words do not count.
    """
    changing = [belief for belief in beliefs if matters.words(belief)]
    found: dict[tuple[int, uuid.UUID], float] = {}
    for one in turns:
        theirs = [each for each in changing if _was_before(each, one) and _is_theirs(each, one, matters)]
        weights = _weights(f"{one.words} {one.facts}", one, theirs, matters, common)
        for belief in theirs:
            near = weights.get(belief.fact, 0.0) + _alike(one, belief, meaning)
            if near >= NEAR_ENOUGH:
                found[one.position, belief.fact] = near
    return found


def weighed(
    judgements: Sequence[ModelJudgement],
    turns: Mapping[int, QuotedTurn],
    beliefs: Mapping[uuid.UUID, Version],
    meaning: Meaning,
    matters: Matters,
) -> list[WeighedJudgement]:
    """Return the result of each of *judgements*.

    A judgement is refused if its belief is not among *beliefs*, which were shown and are still held, or is judged
    already. A person decides if the cited words are hypothetical or about the future, or are nearer to a shown belief
    on which there is no judgement. A person also decides if the news is similar but shares no word with the belief, or
    if an English sentence reports no change.
    """
    found: list[WeighedJudgement] = []
    judged: set[uuid.UUID] = set()
    also = {(one.position, one.belief) for one in judgements}
    for one in judgements:
        belief = beliefs.get(one.belief)
        if belief is None or one.belief in judged:
            found.append(
                WeighedJudgement(one, refused="it is judged already" if belief else "it is not believed any more")
            )
            continue
        words = turns[one.position]
        others = [other for other in beliefs.values() if (one.position, other.fact) not in also]
        outcome = _weighed(one, words, belief, others, meaning, matters)
        judged |= set() if outcome.refused else {one.belief}
        found.append(outcome)
    return found


def _weighed(
    one: ModelJudgement,
    turn: QuotedTurn,
    belief: Version,
    others: Sequence[Version],
    meaning: Meaning,
    matters: Matters,
) -> WeighedJudgement:
    if not _was_before(belief, turn):
        return WeighedJudgement(one, refused="it did not hold when the words were said")
    if not _is_theirs(belief, turn, matters):
        return WeighedJudgement(one, refused="the words are about somebody else")
    cited, sentence = _cited_words(one, turn)
    about, subjects = belief_words(belief, matters.known(belief)), [news.subject for news in turn.news]
    if is_about_another(sentence, subjects, about | set(words_of(belief.subject)), matters.predicates):
        return WeighedJudgement(one, refused="the words are about somebody else")
    over = " ".join(map(text_of, turn.ended))
    named = next((text for text in (cited, sentence, over) if _weights(text, turn, [belief], matters)), "")
    if not named and _alike(turn, belief, meaning) < NEAR_MEANING:
        return WeighedJudgement(one, refused="the words have nothing to do with it")
    if one.kind == "same":
        repeats = [news for news in turn.news if _says_no_more(news, belief, matters)]
        if len(repeats) != 1 or not one.sure:
            return WeighedJudgement(one, refused="the words also say something else")
        return WeighedJudgement(one, "same", (belief,), repeats[0])
    if not matters.words(belief):
        return WeighedJudgement(one, refused="it is permanent, or had ended")
    nearer = _nearer(named, turn, belief, others, matters) if named and named is not over else []
    ahead = any(news.tense == "future" for news in turn.news) and not matters.is_due(belief)
    supposed = _SUPPOSED.search(sentence) is not None or ahead
    if not one.sure or not named or nearer or supposed or not _may_change(sentence, turn, belief):
        return WeighedJudgement(one, "unsure", (belief, *nearer))
    return WeighedJudgement(one, one.kind, (belief,))


def _may_change(sentence: str, turn: QuotedTurn, belief: Version) -> bool:
    """Return whether a sentence may report a change: by a word of change, or by a new value for *belief*.

    A sentence that is not in English may always report a change.
    """
    changed = any(words.search(sentence) for words in (MAY_BE_NEWS, _REMOVED, DENIED))
    if changed or not _ENGLISH.search(sentence):
        return True
    if any((normal(one.subject), one.predicate) == (normal(belief.subject), belief.predicate) for one in turn.news):
        return True
    return any(numbers_of(one) and numbers_of(belief) for one in turn.news)


def _nearer(text: str, turn: QuotedTurn, belief: Version, others: Iterable[Version], matters: Matters) -> list[Version]:
    """Return the earlier beliefs among *others* that share more with *text* than *belief* does."""
    before = [other for other in others if _was_before(other, turn)]
    changing = [other for other in before if matters.words(other) and _is_theirs(other, turn, matters)]
    weights = _weights(text, turn, [belief, *changing], matters)
    return [other for other in changing if weights.get(other.fact, 0.0) > weights.get(belief.fact, 0.0)]


def _weights(
    text: str, turn: QuotedTurn, beliefs: Sequence[Version], matters: Matters, common: Collection[str] = ()
) -> dict[uuid.UUID, float]:
    """Return the weight of a text's words in each belief that contains any of them.

    The names of people in the text have no weight.
    """
    people = {word for name in turn.people for word in words_of(name)}
    words = [word for word in words_of(text) if word not in people and word not in common]
    return {fact: sum(each.values()) for fact, each in matters.shared(words, beliefs).items()}


def _alike(turn: QuotedTurn, belief: Version, meaning: Meaning) -> float:
    return max((meaning.get((one.fact, belief.fact), 0.0) for one in (*turn.news, *turn.ended)), default=0.0)


def _was_before(belief: Version, turn: QuotedTurn) -> bool:
    return belief.position < turn.position and belief.valid.covers(turn.episode.occurred)


def _is_theirs(belief: Version, turn: QuotedTurn, matters: Matters) -> bool:
    """Return whether *belief* is about the speaker, a subject of the news, or a person whom the quoted words name."""
    if normal(belief.subject) in map(normal, turn.people):
        return True
    if normal(belief.subject) != USER and set(words_of(belief.subject)) & set(words_of(turn.words)):
        return True
    about = belief_words(belief, matters.known(belief))
    return any(normal(one) != USER and words_of(one) and about.issuperset(words_of(one)) for one in turn.people)


def _says_no_more(news: Version, belief: Version, matters: Matters) -> bool:
    """Return whether *news* has the subject, form and tense of *belief*, and only words that *belief* contains."""
    if (normal(news.subject), news.form, news.tense) != (normal(belief.subject), belief.form, belief.tense):
        return False
    if news.fact == belief.fact or denies(news) != denies(belief) or numbers_of(news) != numbers_of(belief):
        return False
    about = belief_words(belief, matters.known(belief))
    return all(matters.names(word) & about for word in words_of(text_of(news)))


def _cited_words(one: ModelJudgement, turn: QuotedTurn) -> tuple[str, str]:
    """Return the words that a judgement cites, and the sentence that contains them."""
    content, start, end = turn.episode.content, one.source.start, one.source.end
    begin = max(content.rfind(mark, 0, start) for mark in ".!?\n") + 1
    ends = [at for mark in ".!?\n" if (at := content.find(mark, end)) >= 0]
    return content[start:end], content[begin : min(ends, default=len(content)) + 1]
