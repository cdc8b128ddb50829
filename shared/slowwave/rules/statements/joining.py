"""Statements joined with related text: the next statement of the turn, or a noun phrase after a dash or colon."""

import re
from collections.abc import Iterator, Sequence

from slowwave.core.beliefs.refused import tells_secret
from slowwave.rules.sentence_splitting import Sentence
from slowwave.rules.statements import verbs
from slowwave.rules.statements.clauses import Clause, clauses
from slowwave.rules.statements.contentless_words import LONG, informative_words, weight
from slowwave.rules.statements.coreference import JUDGED_IT, refers_back
from slowwave.rules.statements.other_subjects import shown
from slowwave.rules.statements.phrases import is_platitude, lost_referent, only_pleases, praises, tells_how
from slowwave.rules.statements.self_reference import CALLS, DOUBTED, FINITE, REACTIONS, content
from slowwave.rules.statements.sentences import DATED, Statement, leans, undangled
from slowwave.rules.statements.statement_filter import lasts, score_of
from slowwave.rules.statements.third_person import Person, in_third_person, spelled
from slowwave.rules.statements.vague_words import NOUNS
from slowwave.rules.statements.words import (
    FIRST,
    INVERTED,
    LEADING,
    LISTS,
    OF_FIRST,
    PREPOSITIONS,
    QUESTION,
    SECOND,
    SUBORDINATE,
    UNRESOLVED,
    Word,
    these,
    words_of,
)  # fmt: skip

_PHRASE = re.compile(r"\s*(?P<what>(?:an?|another|my|our) [^.,;:!?()\"]{3,70})(?=[.,;!?(]|$)")
_NAMING = re.compile(r"\s*:\s+(?P<what>[^.,;:!?()\"]{3,70}(?:, [^.,;:!?()\"]{3,40}){0,4})[.!]*$")
"""The words after a colon: `my real muses: painting and pottery`."""
_MEET = re.compile(r"[ ,-]+(?:this is|meet|called) (?P<what>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)[.!]*$")
"""The name of somebody or something presented: `a new addition to the family, this is Max`."""
_VERBS = these("is was are were has had have do does did can will would it's that's")
MOST_WORDS = 18
"""The maximum number of content words of a statement with its addition."""
MOST_JOINED = 16
"""The maximum number of content words of two joined statements."""
LONGEST = 200
"""The length, in characters, from which a statement is not joined to others."""
NEAR = 60
"""The maximum number of characters between a statement and a sentence that adds to it."""
LIGHT = 5
"""The weight below which a statement needs the words of its neighbour."""
LEAST_INFORMATIVE = 3
"""The weight below which a judgement contains only praise."""
HOLLOW = 2
"""The weight below which a neighbour does not help."""
LEAST = {"i": 3, "we": 3, "elided": 3, "shows": 4, "other": 1, "finds": 3, "moved": 3, "thing": 1}
"""The least weight of a statement of each kind that is understandable alone. A statement of kind `lead` never is."""
LEAST_OF_DEEDS = 1
"""The least weight of a statement about an action, such as `made a bowl in class`."""
BESIDE = 3
"""The maximum number of punctuation marks and blanks between words that are cited together."""
_DEEDS = these("i we elided")
_OWN = these("me us")
_OF_SPEAKER = these("i we elided finds moved")
_MEANT = these("want hope plan need wish aim intend try like love")
"""Verbs of intention."""
FELT = _MEANT | LISTS["felt"]
"""Verbs about a state or a feeling, which are vague without a thing or a name."""
MOST_LEADING = 20
LEAST_LEADING = 4
"""The least weight of a sentence to which the next sentence adds."""
_PASSING = re.compile(
    r"\b(?:for (?:an?|half an|one|two|three|a few|a couple of|\d+) (?:hour|minute|min)s?"
    r"|spent (?:\w+ )?(?:hours|minutes)|at the moment|right now|slept|is typing)\b",
    re.IGNORECASE,
)
"""Activities that lasted for hours, or are going on now."""
_THING = re.compile(
    r"(?:an?|the|their|his|her)(?: (?:new|old|own|little|big|small))?"
    r" ([\w-]+(?: [\w-]+)?)(?=,|$| (?:in|at|for|from|with|on|named|called)\b)"
)
"""The start of a statement's object, if it is a thing of one or two words."""
_ANNOUNCES = re.compile(r"\b(?:news|surprise|update|something \w+)$")
_IT = re.compile(r"\bit\b", re.IGNORECASE)
_POSSIBLY = these("could should might may must would let's")
_NO_LEAD = LEADING | UNRESOLVED | FIRST | QUESTION | CALLS | REACTIONS | INVERTED | SUBORDINATE | PREPOSITIONS
_BACK = these("it it's they they're this that that's these those its")
_PERSONS = these("he he's she she's her his")
_THIRD = these("them him her he she")


def apposition(words: Sequence[Word], sentence: Sentence) -> str:
    """Return the noun phrase after the dash or colon that follows *words* in *sentence*; empty if there is none."""
    if not words:
        return ""
    rest = sentence.text[words[-1].end :]
    found = _NAMING.match(rest) or _MEET.match(rest)
    if found is None and sentence.after and not rest.strip(" -\u2013\u2014"):
        found = _PHRASE.match(sentence.after)
    if found is None:
        return ""
    low = {word.low for word in words_of(found["what"])}
    return (
        ""
        if low & (_VERBS | FIRST | SECOND | UNRESOLVED) or not informative_words(words_of(found["what"]))
        else found["what"]
    )


def with_what(made: Statement, what: str, person: Person, end: int) -> Statement:
    """Return a statement with the phrase *what* added; *end* is the end of the phrase. An empty phrase adds nothing."""
    if not what:
        return made
    worded = spelled(in_third_person(words_of(what), person, past=False)).replace(person.possessive, "their", 1)
    text = f"{made.text} - {worded}"
    if leans(text):
        return made
    return made._replace(text=text, end=end, weight=made.weight + weight(words_of(what)))


def enough(last: Statement) -> Iterator[Statement]:
    """Give the statement if a reader understands it later, without the context."""
    if _PASSING.search(last.text) or not lasts(last):
        return
    score = score_of(last, [word.low for word in words_of(last.text)])
    if last.kind in LEAST and score >= min(LEAST[last.kind], LEAST_OF_DEEDS if is_deed(last) else MOST_WORDS):
        yield last


def goes_on(last: Statement, words: Sequence[Word], sentence: Sentence, person: Person) -> Statement | None:
    """Join a statement with the next sentence if the sentence begins with a reference to the statement; else None."""
    head = next(iter(clauses(words)), None) if words and (words[0].low in _BACK or words[0].low in _PERSONS) else None
    if (
        head is None
        or (head.low[0] == "these" and shown(head.low))
        or (head.low[0] in _PERSONS and not (names_person(head) or not _OWN.isdisjoint(head.low)))
        or len(last.text) > LONGEST
        or not 0 <= sentence.start - last.end <= NEAR
        or head.low[0] not in _BACK | _PERSONS
    ):
        return None
    low, span = head.low, undangled(head.words)
    felt = tells_how(low) and last.period is not None and ", and " not in last.text
    if (_only_praises(head.words) and not felt) or not SECOND.isdisjoint(low) or only_pleases(span):
        return None
    about = (
        low[0] not in ("it", "it's")
        or felt
        or not OF_FIRST.isdisjoint(low)
        or informative_words(span) >= 2
        or len(span) >= LONG
    )
    if content(span) < 2 - felt or not about or content(span) + content(words_of(last.text)) > MOST_WORDS:
        return None
    more = spelled(in_third_person(span, person, past=False))
    if leans(f"and {more}") or lost_referent(more) or ("each other" in more and "us" in low):
        return None
    more = _naming(last, more)
    text = f"{last.text}, and {more[0].lower()}{more[1:]}"
    if (low[0].startswith("the") or low[0] in _PERSONS) and refers_back(text, person):
        return None
    kind = "other" if last.kind == "lead" and not OF_FIRST.isdisjoint(low) else last.kind
    rested = resting(last, sentence.start + span[0].start, sentence.start + span[-1].end)
    return rested._replace(text=text, kind=kind, weight=last.weight + weight(span))


def joined(
    last: Statement, made: Statement, person: Person, *, spliced: bool, dashed: bool = False
) -> Statement | None:
    """Return two statements joined if one of them is unclear or says little without the other; otherwise None.

    *spliced* means that only a comma separates the statements. *dashed* means that only a dash separates them, and the
    second statement explains the first. A short intention is joined with the action before it.
    """
    if not 0 <= made.start - last.end <= NEAR or len(last.text) > LONGEST:
        return None
    if made.text in last.text:
        return last
    says_little = last.weight - DATED * (last.period is not None) < HOLLOW or _ANNOUNCES.search(last.text)
    if dashed and says_little and not made.period:
        return made._replace(period=last.period)  # behind "I got great news -"
    words = words_of(made.text)
    refers = (spliced and made.weight < LIGHT) or any(word.low in _BACK or word.low in _THIRD for word in words)
    if (
        not refers
        and min(last.weight, made.weight) < HOLLOW
        and not is_deed(last if last.weight < made.weight else made)
    ):
        return made if last.weight < made.weight else last
    helps = made.kind in _OF_SPEAKER and lasts(last) and (dashed or (last.kind in _DEEDS and not lasts(made)))
    if not refers and not helps and (last.kind not in _DEEDS or made.weight >= LIGHT or made.predicate not in _MEANT):
        return None
    if not refers and made.predicate == last.predicate:
        return None
    if content(words_of(last.text)) + content(words) > MOST_JOINED or tells_secret(made.text):
        return None
    more = made.text if made.text.startswith(person.known_as or "\0") else made.text[0].lower() + made.text[1:]
    about, text = made if last.kind == "lead" else last, f"{last.text}, and {more}"
    if any(word.low in _THIRD or word.low in ("there", "his") for word in words) and refers_back(text, person):
        return None
    return resting(last, made.start, made.end)._replace(
        text=text, period=last.period or made.period,
        predicate=about.predicate, object=about.object, kind=about.kind, weight=last.weight + made.weight,
    )  # fmt: skip


def named(last: Statement, made: Statement) -> Statement:
    """Return the statement *made*, with its only `it` replaced by the thing of *last*."""
    if not 0 <= made.start - last.end <= NEAR:
        return made
    return made._replace(text=_naming(last, made.text), object=_naming(last, made.object))


def _naming(last: Statement, more: str) -> str:
    """Return *more* with its only `it` replaced by the thing at the start of the object of *last*, if there is one."""
    thing = _THING.match(last.object)
    if thing and (thing[1].rpartition(" ")[2] in NOUNS or JUDGED_IT.search(more.lower())):
        return more
    return _IT.sub(f"the {thing[1]}", more) if thing and len(_IT.findall(more)) == 1 else more


def resting(last: Statement, start: int, end: int) -> Statement:
    """Return *last* with the words from *start* to *end* added to its citation, without the words in between."""
    if start - last.end <= BESIDE:
        return last._replace(end=end)
    return last._replace(spans=(*last.spans, (last.start, last.end)), start=start, end=end)


def is_deed(made: Statement) -> bool:
    """Return whether a statement is about an action rather than a feeling."""
    return made.kind in _DEEDS and made.predicate.removeprefix("not_") not in FELT


def names_person(clause: Clause) -> bool:
    """Return whether a clause names a person who was just mentioned: `she's called Ruth`, `her name is Ruth`."""
    named = any(word in ("name", "name's", "called", "named") for word in clause.low)
    return named and clause.low[0] in _PERSONS and any(word.text[0].isupper() for word in clause.words[1:])


def _only_praises(words: Sequence[Word]) -> bool:
    """Return whether a clause is little more than praise: `it's great`, but not `it's great for its music`."""
    return praises([word.low for word in words]) and weight(words) < LEAST_INFORMATIVE


def belongs(clause: Clause) -> bool:
    """Return whether a clause continues the one before it: `and it brings me joy`."""
    low = clause.low
    if clause.joint not in ("and", "so", "but", ",", "plus") or not SECOND.isdisjoint(low):
        return False
    if not (names_person(clause) or low[0] in ("it", "it's", "that", "they", "they're")) or (
        _only_praises(clause.words) or only_pleases(clause.words)
    ):
        return False
    return not OF_FIRST.isdisjoint(low) or informative_words(clause.words) >= 2 or len(low) >= LONG


def opens(words: Sequence[Word]) -> bool:
    """Return whether the next sentence may continue this one: `The show went well.`"""
    low = [word.low for word in words]
    if not low or len(low) > MOST_LEADING or low[0] in _NO_LEAD or low[0] in verbs.BASE:
        return False
    if any(word in SECOND or word in DOUBTED or word in _POSSIBLY for word in low) or weight(words) < LEAST_LEADING:
        return False
    if FINITE.isdisjoint(low) and not any(map(verbs.is_past, low[1:])):
        return False
    at = next((place for place, word in enumerate(low) if word in FINITE), 0)
    judges = (
        praises(["it", *low[at:]])
        and weight(words[at : low.index(",", at) if "," in low[at:] else None]) < LEAST_INFORMATIVE
    )
    return not judges and not is_platitude(words)
