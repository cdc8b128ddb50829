"""Adjustments of a score by the speaker, age and content of a memory, and by its salience, kind and tier."""

import re
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

import numpy as np

from slowwave.core.feedback import UNKNOWN
from slowwave.core.recall.candidate import Candidate, Ranked, Scores, is_asked
from slowwave.core.recall.candidates import Candidates
from slowwave.core.recall.newer import tells_of_former
from slowwave.core.recall.outdated import asks_of_before, asks_of_present
from slowwave.core.recall.scored import Scored
from slowwave.core.recall.scoring import Scoring, Weights
from slowwave.core.recall.synonyms import REMEMBERED
from slowwave.core.salience.terms import SalientMemory
from slowwave.domain.standing import Standing

Measure = TypeVar("Measure", float, Scores)
_OF_ASSISTANT = re.compile(
    r"\b(?:suggest|recommend|advi[sc]|propos|assistant"
    r"|you (?:say|said|tell|told|mention|think|offer)|your (?:advice|ideas?|tips?))",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"^\W*(?:is|are|am|does|do|has|have|can|may|will|would)\b"
    r"|\b(?:still|now|nowadays|currently|at the moment|at present|these days|any ?more)\b",
    re.IGNORECASE,
)
_OF_PLANS = re.compile(
    r"\b(?:will|won't|next (?:week|weekend|month|year|spring|summer|autumn|winter)|plan(?:s|ned|ning)?|intend\w*"
    r"|upcoming|going to|in the future|coming up|look(?:s|ing) forward)\b(?! you\b)",
    re.IGNORECASE,
)
_PLAN = re.compile(
    r"\b(?:will|going to|gonna|plan(?:s|ning|ned)?|(?:wants?|hop(?:es?|ing)|intends?|aims?|would like|need(?:s)?) to"
    r"|(?:thinking|dreaming) (?:of|about)|considering|tomorrow|next (?:week|weekend|month|year|spring|summer|autumn)"
    r"|(?:am|are|is) \w+ing\b.* (?:in|on|at|this) )|(?:'ll|'d like to) |'(?:m|re|s) \w+ing\b.* (?:in|on|at|this) ",
    re.IGNORECASE,
)
_ASKS_BACK = 60
"""The number of characters at the end of an assistant's turn in which a question to the user is looked for."""

_WHO = re.compile(
    r"\bwho(?:m|se)?\b|\bwhat\b.{0,40}\b(?:called|named?)\b|\bwhat(?:'s| is| are| was| were)\b.{0,40}\bnames?\b",
    re.IGNORECASE,
)
_WHERE = re.compile(r"\bwhere\b|\b(?:which|what) (?:city|town|country|place|street|village|state)\b", re.IGNORECASE)
_HOW_MUCH = re.compile(
    r"\bhow (?:much|many|old|long|far|often|big|tall|strong)\b|\bwhat (?:dose|price|age|number|size|cost)\b"
    r"|\bwhich (?:version|port|number|release)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[a-z,;:] )([A-Z][^\W\d_]+)|\b(Dr|Mrs?|called|named|name is)\b")
_PLACE = re.compile(
    r"\b(?:in|at|to|from|near|into) (?:the )?([A-Z][a-z]+)"
    r"|\b(?:in|at|to|from|near) (?!the\b|a\b|an\b|my\b|it\b|this\b|that\b|me\b|you\b|be\b)([a-z]{4,})"
)
_NUMBER = re.compile(
    r"(\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|hundred"
    r"|thousand|once|twice|dozen|half)\b)",
    re.IGNORECASE,
)
_ANSWER_PATTERNS = ((_WHO, _NAME), (_WHERE, _PLACE), (_HOW_MUCH, _NUMBER))
_WORD = re.compile(r"[^\W_]+")
MEASURES = ("assistant", "later", "fits", "ahead", "former")
"""The reasons that multiply a score by a `multiplier`, in the order of their use."""
ENOUGH = 0.45
"""The score from which a memory of a hotter tier comes before all memories of a colder tier. In dialogue, four fifths
of the answers have a higher score, and so does over a third of the fifty best memories that are no answers."""


def asks_of_assistant(question: str) -> bool:
    """Return whether *question* is about what an assistant said.

    >>> asks_of_assistant("Which bike did you suggest?"), asks_of_assistant("Which bike did I buy?")
    (True, False)
    """
    return _OF_ASSISTANT.search(question) is not None


def asks_of_now(question: str) -> bool:
    """Return whether *question* asks for the current state. The newest memory on the subject answers such a question.

    >>> [asks_of_now(asked) for asked in ("Does Ann still ski?", "What does she do these days?", "Where did she go?")]
    [True, True, False]
    """
    return _NOW.search(question) is not None


def asks_of_plans(question: str) -> bool:
    """Return whether *question* asks about the future, so that a plan answers it.

    >>> [asks_of_plans(asked) for asked in ("Where will they live next year?", "Any plans?", "Where do they live?")]
    [True, True, False]
    """
    return _OF_PLANS.search(question) is not None


def contains_answer_kind(question: str) -> Callable[[str], bool] | None:
    """Return a function that tells whether a text contains the kind of thing that *question* asks for.

    The result is None if *question* asks for no such kind.

    The kinds are a name, a place or a number. Names in the question itself do not count.

    >>> def fits(question: str, text: str) -> bool:
    ...     return (tells := contains_answer_kind(question)) is not None and tells(text)
    >>> fits("Who is Ann's boss?", "Ann has a new boss, Bob"), fits("Who is Ann's boss?", "the boss of Ann is nice")
    (True, False)
    >>> fits("How much is the flat?", "1450 warm"), fits("Where is Ann?", "off to York"), fits("Why?", "at 9 in York")
    (True, True, False)
    """
    pattern = next((pattern for asked, pattern in _ANSWER_PATTERNS if asked.search(question)), None)
    if pattern is None:
        return None
    named = {word.casefold() for word in _WORD.findall(question)}
    return lambda text: not _found_by(pattern, text) <= named


@lru_cache(maxsize=REMEMBERED)
def _found_by(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(found[found.lastindex or 0].casefold() for found in pattern.finditer(text))


@lru_cache(maxsize=REMEMBERED)
def _is_plan(text: str) -> bool:
    return _PLAN.search(text) is not None


def read_with_questions(candidates: Candidates, share: float) -> Candidates:
    """Return *candidates*, in which answers to an assistant's questions get a higher match.

    An answer also gets the match of the question, multiplied by *share*.
    """
    memories = candidates.memories
    asked = [n for n, one in enumerate(memories) if one.role == "assistant" and "?" in one.ending[-_ASKS_BACK:]]
    if not asked or not share:
        return candidates
    before = dict(zip((candidates.places[asked] + 1).tolist(), asked, strict=True))
    pairs = [
        (number, before[place])
        for number, place in enumerate(candidates.places.tolist())
        if place in before and memories[number].role == "user"
    ]
    if not pairs:
        return candidates
    replies, questions = np.array(pairs).T
    shares, keyword, similarity = candidates.shares.copy(), candidates.keyword.copy(), candidates.similarity.copy()
    shares[replies] = np.maximum(shares[replies], share * candidates.shares[questions])
    covered = np.minimum(1.0, shares[replies].sum(axis=1) * candidates.saturation[replies])
    keyword[replies] = np.maximum(keyword[replies], covered)
    similarity[replies] = np.maximum(similarity[replies], share * candidates.similarity[questions])
    return candidates.but(shares=shares, keyword=keyword, similarity=similarity)


def by_fit(scored: Scored, question: str, weights: Weights) -> Scored:
    """Return *scored* with scores adjusted to the kind of thing that *question* asks for. No score exceeds 1.0.

    If *question* is only a list of words, the scores of the assistant's turns are not lowered.
    """
    candidates = scored.candidates
    sinks = weights.assistant and is_asked(question) and not asks_of_assistant(question)
    tells = contains_answer_kind(question) if weights.fits else None
    columns: dict[str, Scores] = {}
    if sinks:
        columns["assistant"] = _where([one.role == "assistant" for one in candidates.memories])
    if weights.later and asks_of_now(question):
        columns["later"] = _places(candidates)
    if tells:
        columns["fits"] = _where(map(tells, candidates.words))
    if weights.later and asks_of_plans(question):
        columns["ahead"] = _where(map(_is_plan, candidates.words))
    before = asks_of_before(question)
    if weights.later and (before or asks_of_present(question)):
        value = 2.0 if before else -1.0  # a former state that the question asks for outweighs the current beliefs
        columns["former"] = _where(map(tells_of_former, candidates.words), value)
    scores = scored.scores
    for name, column in columns.items():
        scores = scores * np.where(np.isnan(column), 1.0, multiplier(name, column, weights))
    return scored.then(np.minimum(1.0, scores), columns)


def _where(holds: Iterable[bool], value: float = 1.0) -> Scores:
    """Return *value* for each memory for which *holds* is True, and NaN for the others."""
    return np.where(list(holds), value, np.nan)


def multiplier(name: str, value: Measure, weights: Weights) -> Measure:
    """Return the factor by which a score is multiplied if the measure *name* has this *value*."""
    if name == "assistant":
        return 1 - weights.assistant * value
    if name in ("ahead", "former"):
        return 1 + weights.later * value / 2
    return 1 + (weights.later * (value - 0.5) if name == "later" else weights.fits * value)


def _places(candidates: Candidates) -> Scores:
    """Return the relative rank of each memory in time, from 0 for the first to 1 for the last. The position orders
    memories of the same time.
    """
    order = np.lexsort((candidates.positions, -candidates.ages))
    ages, positions = candidates.ages[order], candidates.positions[order]
    new = (ages[1:] != ages[:-1]) | (positions[1:] != positions[:-1])
    ranks = np.concatenate([[0], new.cumsum()])
    places = np.empty(len(order))
    places[order] = ranks / ranks[-1] if ranks[-1] else 0.5
    return places


def salient_memory(candidate: Candidate, standing: Standing | None) -> SalientMemory:
    """Return *candidate* in the form that salience scorers take. If *standing* is None, the memory counts as new."""
    kind = _kind(candidate, standing)
    source = "statement" if candidate.form == "statement" else "stated"
    made = standing or Standing(kind, source, "", UNKNOWN, candidate.occurred)
    return SalientMemory(
        made, candidate.similarity, candidate.keyword, candidate.text, form=candidate.form, role=candidate.role
    )


def by_state(
    ranked: Sequence[Ranked],
    scoring: Scoring,
    standings: Mapping[uuid.UUID, Standing],
    saliences: Mapping[uuid.UUID, float],
) -> list[Ranked]:
    """Return *ranked* with scores adjusted for the strength, kind and tier of memories, and for their salience.

    *scoring* says which of these count, and how much.
    """
    weighed = list(ranked)
    if scoring.salience and saliences:
        weight = scoring.salience.weight
        weighed = [_salient(one, weight, saliences[one.candidate.id]) for one in weighed]
    if scoring.strength:
        weighed = [_faded(one, scoring.strength, standings.get(one.candidate.id)) for one in weighed]
    if scoring.kinds:
        weighed = [
            _counted(one, "kind", _share(scoring.kinds, _kind(one.candidate, standings.get(one.candidate.id))))
            for one in weighed
        ]
    if scoring.tiers and scoring.strategy != "fast_first":
        weighed = [_counted(one, "tier", _share(scoring.tiers, _tier(one, scoring, standings))) for one in weighed]
    return weighed


def by_tense(ranked: Sequence[Ranked], scoring: Scoring, tenses: Mapping[uuid.UUID, str]) -> list[Ranked]:
    """Return *ranked*, in which *scoring* multiplies the score of a fact by the weight of its tense, up to 1.0.

    *tenses* has the tense of each fact.
    """
    if not scoring.tenses:
        return list(ranked)
    weights = {id_: scoring.tenses.get(tense, 1.0) for id_, tense in tenses.items()}
    return [
        replace(one, score=min(1.0, one.score * weights[id_]), reasons={**one.reasons, "tense": weights[id_]})
        if (id_ := one.candidate.id) in weights
        else one
        for one in ranked
    ]


def tier_position(one: Ranked, scoring: Scoring, standings: Mapping[uuid.UUID, Standing]) -> int:
    """Return the sort position of the tier of *one*. With `fast_first`, good memories of a hotter tier come first."""
    order = list(scoring.tiers or ())
    tier = _tier(one, scoring, standings)
    if scoring.strategy != "fast_first" or one.score < ENOUGH or tier not in order:
        return len(order)
    return order.index(tier)


def _salient(one: Ranked, weight: float, salience: float) -> Ranked:
    score = (1 - weight) * one.score + weight * salience
    return replace(one, score=score, reasons={**one.reasons, "salience": salience})


def _faded(one: Ranked, weight: float, standing: Standing | None) -> Ranked:
    """Return *one* with its score reduced by *weight* times the faded share of its strength."""
    left = 1.0 if standing is None else share_left(standing)
    return replace(one, score=one.score * (1 - weight * (1 - left)), reasons={**one.reasons, "strength": left})


def share_left(standing: Standing) -> float:
    """Return the remaining part of a memory's initial value, in [0, 1]."""
    return 1.0 if standing.strength is None or not standing.base else min(1.0, standing.strength / standing.base)


def _counted(one: Ranked, name: str, share: float) -> Ranked:
    return replace(one, score=one.score * share, reasons={**one.reasons, name: share})


def _share(weights: Mapping[str, float], name: str | None) -> float:
    """Return the weight of *name* relative to the largest weight, or 1 if *name* is not listed."""
    most = max(weights.values())
    return weights.get(name or "", most) / most if most else 1.0


def _kind(candidate: Candidate, standing: Standing | None) -> str:
    return standing.kind if standing else "episodic" if candidate.kind == "episode" else "semantic"


def _tier(one: Ranked, scoring: Scoring, standings: Mapping[uuid.UUID, Standing]) -> str | None:
    standing = standings.get(one.candidate.id)
    return standing.tier if standing else scoring.entry
