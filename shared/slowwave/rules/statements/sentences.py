"""Statements from first-person words.

A statement is a sentence that is understandable alone, with verb, tense and days.
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from slowwave.core.predicates.sentences import does
from slowwave.domain.claim import Tense
from slowwave.rules.dates import Dated, Period, dated
from slowwave.rules.regexes import QuickTest
from slowwave.rules.statements import verbs
from slowwave.rules.statements.contentless_words import weight
from slowwave.rules.statements.other_subjects import is_finite, judged, moved, name_of, shown, verb_of_thing
from slowwave.rules.statements.phrases import points_out, without_demonstratives
from slowwave.rules.statements.self_reference import content, main_verb, subject_at
from slowwave.rules.statements.third_person import Person, in_third_person, spelled
from slowwave.rules.statements.words import DANGLING, OPENERS, PARTICLES, Word, these

DATED = 2
"""The weight that a named day adds to a statement."""
LEAST_WORDS = 2
"""The fewest content words of a statement."""
_AS_IT_IS = "\N{FIGURE SPACE}"
"""A mark for a word that is written unchanged."""
_LEANS = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|im|ive|my|me(?!-)|mine|we|our|us|you|your|ya|yesterday|today|tonight|tomorrow|ago"
    r"|(?:last|next|this) (?:week|weekend|month|year|night|\w+day))\b"
    r"|^(?:(?:maybe|perhaps|probably|sometimes|usually|often) )?(?:it|this|thats?|they|theyre|hes?|shes?|theres?)\b",
    re.IGNORECASE,
)
_MAY_LEAN = QuickTest(_LEANS)
_JOINT = re.compile(r"^(?:(?:and|but|so(?! (?:much|many|few)\b)|or|then),? )+", re.IGNORECASE)
_BEING = these("is are was were be being been")
_ENDS = (DANGLING - {"cause"}) | frozenset(".!…*~)]") | these("overall btw tho lol haha xx rn idk ever") | _BEING
_ENDS_ASKING = _ENDS - _BEING
_ASKING = these("how what who where that")
_PHRASAL = {
    "for": these("spoken called cared paid hope hoping wait waiting look looking apply applied work working live"),
    "with": these("dealt deal work working live living play playing start started help stay stayed go went meet"),
    "on": these("work working worked rely depend count plan planning live spend focus focusing"),
    "to": these("talk talking go going went belong listen listening speak turn look been move moved"),
    "about": these("talk talking think thinking care worry worried dream read write wrote sing know knew learn"),
    "in": these("live living lived believe work working grew interested involved"),
    "from": these("come comes came learn work working hear"),
    "ever": these("than"),
}
"""Last words that belong to the word before them: `the project I'm working on`, `more than ever`."""
_MARKS = frozenset(".!…")
_MAY_END = these("to of with for from in at on by about into like be can could is are was were been will would has")
_NEGATIONS = these("""not don't doesn't didn't haven't hasn't hadn't wasn't isn't aren't can't couldn't won't never""")
_GOING_TO = re.compile(r"(?:'m|'re|'s|\b(?:im|am|is|are|was|were|not))(?: \w+)? going to\b")
_RECALLS = these("remember forget miss cherish treasure regret recall")
_FIGURE = re.compile(
    r"\blike (?:it was |it were )?(?:just |only )?yesterday\b|\b(?:am|'m|im) a (?:whole )?new (?:wo)?man\b"
    r"|\beat my words\b|\b(?:touch|warm)\w* (?:my|our) hearts?\b|\bcross(?:ed|ing)? my fingers\b|\bbeyond words\b"
    r"|\bmakes? me (?:want|wanna) (?:to )?(?:die|cry|scream)\b|\bspoken for\b|\bwe rock\b|\bslept (?:for )?\d+ h"
    r"|\bneed (?:some |a bit of )?help with my account\b",
    re.IGNORECASE,
)
"""A figure of speech, a request, or a temporary state."""
_OWNED = these("my our")
_AS_WELL = frozenset(".!") | these("too also either as well")
_UNTOLD = these("saying says asking wondering")
"""Last words of a sentence whose object is missing."""
_PAST = re.compile(r"\b(?:last|past|ago|yesterday|before)\b", re.IGNORECASE)


class Statement(NamedTuple):
    """A sentence about *subject*: its verb as *predicate*, its other words as *object*, and its days as *period*.

    *weight* measures how much the sentence says without the context. `kind` is the kind of reference to the
    speaker. The statement cites the characters from *start* to *end* of its episode, and other *spans* before *start*.
    """

    subject: str
    predicate: str
    object: str
    text: str
    tense: Tense
    period: Period | None
    start: int
    end: int
    kind: str
    weight: int = 0
    spans: tuple[tuple[int, int], ...] = ()


def leans(text: str) -> bool:
    """Return whether *text* depends on its speaker, its time, or earlier words."""
    return _MAY_LEAN.in_(text) and _LEANS.search(text) is not None


def _been(words: Sequence[Word]) -> bool:
    """Return True for a named place where somebody has been: `I was in Rome`."""
    return any(word.low in ("been", "was") for word in words[:4]) and any(word.text[0].isupper() for word in words[1:])


def undangled(words: Sequence[Word], *, whole: bool = False) -> Sequence[Word]:
    """Return *words* without joining words and the name of an addressed person at the end.

    *whole* is True if the sentence ends with *words*. The last word of `somebody to talk to` then stays.
    """
    end = len(words)
    while whole and end and words[end - 1].low in _MARKS:
        end -= 1
    if whole and end and words[end - 1].low in _MAY_END:
        return words[:end]
    if end > 2 and words[end - 2].low == "," and words[end - 1].text[:1].isupper() and words[end - 1].text != "I":
        end -= 2 if sum(word.low == "," for word in words) == 1 else 0
    asking = not _ASKING.isdisjoint([word.low for word in words])
    ends = _ENDS_ASKING if asking else _ENDS
    while end and (words[end - 1].low in ends or _trails(words, end)) and not _is_phrase(words, end):
        end -= 1
    return words[: end - 2 if end > 1 and words[end - 1].low == "all" and words[end - 2].low == "," else end]


def _is_phrase(words: Sequence[Word], end: int) -> bool:
    """Return True if the words end with a verb and its particle: `My mornings are spoken for`."""
    return end > 1 and words[end - 2].low in _PHRASAL.get(words[end - 1].low, ())


def _trails(words: Sequence[Word], end: int) -> bool:
    return end > 1 and words[end - 1].low in OPENERS and words[end - 2].low == ","


def statement(
    words: Sequence[Word], kind: str, person: Person, stated_at: datetime, text: str, offset: int
) -> Statement | None:
    """Return the statement in *words* of the sentence *text* at *offset*; None if *words* are no statement.

    *stated_at* is the time by the speaker's clock. *kind* is the kind of reference to the speaker.
    """
    if _FIGURE.search(text) or (kind not in ("shows", "moved") and points_out(words)):
        return None
    if _points_back(words):
        return None
    whole = bool(words) and not text[words[-1].end :].strip(" .!…)")
    words = undangled(words, whole=whole)
    low = [word.low for word in words]
    if (low[-1:] and low[-1] in _UNTOLD) or (kind == "finds" and "us" in low):
        return None  # "us" in a judgement is everybody
    if content(words) < (1 if low[-1:] == ["anymore"] or low[-2:] == ["any", "more"] or _been(words) else LEAST_WORDS):
        return None  # with "anymore" one content word is enough: what is over
    verb, rest = _verb(words, kind)
    tense = _tense(low, verb)
    begin, end = words[0].start, words[-1].end
    phrases = list(dated(text[begin:end], stated_at))
    periods = [one.period for one in phrases if one.period]
    past = tense == "past" or any(period.end <= stated_at for period in periods)
    then = _of_then(tense, verb, text[begin:end])
    own = [one.period for one in phrases if one.period and not then(one)]
    clause = _dated(_turned(without_demonstratives(words), kind, person), phrases, begin, whole=whole)
    sentence = spelled(in_third_person(clause, person, past=past, elided=kind == "elided")).strip(" ,;:-")
    sentence = _JOINT.sub("", sentence)
    sentence += '"' if sentence.count('"') % 2 and '"' in text[end : end + 2] else ""
    sentence += ")" if sentence.count("(") > sentence.count(")") and text[end : end + 1] == ")" else ""
    if not sentence or leans(sentence):
        return None
    sentence = sentence[0].upper() + sentence[1:]
    subject = name_of(words[: verb_of_thing(words)]) if kind == "thing" else person.subject
    return Statement(
        subject, _predicate(low, verb, rest), _object(sentence, rest), sentence, tense,
        next(iter(own), None), offset + begin, offset + end, kind, weight(words) + DATED * bool(periods),
    )  # fmt: skip


def _points_back(words: Sequence[Word]) -> bool:
    """Return True if the words end with a reference to earlier words: `I want them to learn that too`."""
    end = len(words)
    while end and words[end - 1].low in _AS_WELL:
        end -= 1
    return end > 1 and words[end - 1].low == "that" and words[end - 2].low != "of"


def _of_then(tense: Tense, verb: str, text: str) -> Callable[[Dated], bool]:
    """Return a test for dates that belong to the past, not to a plan: `I'll remember our trip last year`."""
    recalls = tense == "future" and verb in _RECALLS
    return lambda one: recalls or (tense == "future" and _PAST.search(text[one.start : one.end]) is not None)


def _verb(words: Sequence[Word], kind: str) -> tuple[str, Sequence[str]]:
    low = [word.low for word in words]
    if kind == "thing" and (at := verb_of_thing(words)):
        return low[at], low[at + 1 :]
    return main_verb(low) if kind in ("i", "we", "elided") else ("show" if kind == "shows" else "be", ())


def _tense(low: Sequence[str], verb: str) -> Tense:
    if any(word in ("will", "gonna", "i'll", "we'll") for word in low[:4]) or _GOING_TO.search(" ".join(low[:6])):
        return "future"
    if verb == "got" and any(word in ("have", "has", "i've", "we've", "ive", "he's", "she's") for word in low[:3]):
        return "current"
    if verb in ("was", "were", "had", "did", "didn't", "wasn't") or verbs.is_past(verb):
        return "past"
    return "current"


def _predicate(low: Sequence[str], verb: str, rest: Sequence[str]) -> str:
    parts = [verbs.lemma(verb) or "be", *(word for word in rest[:1] if word in PARTICLES)]
    negative = not _NEGATIONS.isdisjoint(low[:5])
    name = re.sub(r"[^a-z0-9]+", "_", "_".join(["not", *parts] if negative else parts)).strip("_")
    return name if name[:1].isalpha() else "be"


def _object(sentence: str, rest: Sequence[str]) -> str:
    """Return the words after the verb; if they cannot be located, return the whole sentence."""
    first = next((word for word in rest if word not in PARTICLES), "")
    place = sentence.lower().find(f" {first}") if first else -1
    return sentence[place + 1 :] if place > 0 else sentence


def _turned(words: Sequence[Word], kind: str, person: Person) -> Sequence[Word]:
    """Return *words*; for some kinds of clause, with the described person as the subject."""
    if kind == "moved":
        return _moved(words, person)
    if kind == "shows":
        size = shown([word.low for word in words])
        lead = Word(f"{person.name} shows", _AS_IT_IS, words[0].start, words[size - 1].end)
        return [lead, *words[size:]]
    if kind == "other" and words[0].low.endswith("ing") and _owns_early(words):
        first, before = words[0], words[0].start - 1
        return [Word(f"For {person.name},", _AS_IT_IS, before, before), first._replace(text=first.low), *words[1:]]
    return _finding(words, person) if kind == "finds" else words


def _owns_early(words: Sequence[Word]) -> bool:
    """Return True if *my* or *our* comes before the first main verb: `losing my job was`."""
    low = [word.low for word in words]
    at = next((place for place, word in enumerate(low) if word in _OWNED), len(low))
    return at < len(low) and not any(map(is_finite, low[1:at])) and "that's" not in low[:at]


def _moved(words: Sequence[Word], person: Person) -> Sequence[Word]:
    """Return *words* with the person as subject: `It made me see how rare it is` becomes `Nora saw how rare it is`."""
    low = [word.low for word in words]
    size = subject_at(low) + moved(low[subject_at(low) :])
    if "reminds" in low[:size] or "reminded" in low[:size]:
        lead = f"{person.name} {'was' if 'reminded' in low[:size] else 'is'} reminded"
    else:
        lead = f"{person.name} {verbs.past(low[size]) if 'made' in low[:size] else does(low[size])}"
        size += 1
    words = words[: next((at for at in range(size, len(low)) if _does_more(low, at)), len(words))]
    return [Word(lead, _AS_IT_IS, words[0].start, words[size - 1].end), *words[size:]]


def _does_more(low: Sequence[str], at: int) -> bool:
    """Return True if the subject also does something else to the speaker: `and gave me hope`."""
    return low[at] in ("and", "but") and verbs.is_past(low[at + 1] if at + 1 < len(low) else "") and "me" in low[at:]


def _finding(words: Sequence[Word], person: Person) -> Sequence[Word]:
    """Return *words* with the person as subject: `It was so hard to leave` becomes `Nora found it hard to leave`."""
    low = [word.low for word in words]
    at = next(place for place, word in enumerate(low) if word in ("it", "it's") and judged(low[place:]))
    size = judged(low[at:])
    found = "found" if any(word in ("was", "felt") for word in low[at : at + size]) else "finds"
    lead = Word(f"{person.name} {found} it", _AS_IT_IS, words[at].start, words[at].end)
    return [*words[:at], lead, words[at + size - 1], *words[at + size :]]


def _dated(words: Sequence[Word], phrases: Sequence[Dated], begin: int, *, whole: bool) -> list[Word]:
    """Return *words* with each relative time phrase replaced by an absolute one."""
    out: list[Word] = [] if phrases else list(words)
    for word in words if phrases else ():
        inside = next((one for one in phrases if one.start + begin <= word.start < one.end + begin), None)
        if inside is None:
            out.append(word)
        elif inside.words and not (out and out[-1].low == _AS_IT_IS and out[-1].start == inside.start + begin):
            out.append(Word(inside.words, _AS_IT_IS, inside.start + begin, inside.end + begin))
    return list(undangled(out, whole=whole and out[-1:] == list(words[-1:])))
