"""The noun phrases of a sentence, as far as closed lists and the order of words tell, for what points back at them."""

from collections.abc import Sequence
from typing import NamedTuple

from slowwave.rules.statements import verbs
from slowwave.rules.statements.hollow import ADJECTIVES
from slowwave.rules.statements.lists.nouns import HE, MANY, NOTHING, PERSONS, PETS, SHE, TOGETHER
from slowwave.rules.statements.persons import NO_NOUNS
from slowwave.rules.statements.words import (
    ADVERBS,
    AUXILIARY,
    COORDINATE,
    DETERMINERS,
    FILLERS,
    FIRST,
    INVERTED,
    OF_FIRST,
    OPENERS,
    PARTICLES,
    PREPOSITIONS,
    QUESTION,
    SECOND,
    SUBORDINATE,
    UNRESOLVED,
    Word,
    these,
)  # fmt: skip

LONGEST = 5
"""Words of a phrase behind its first."""
_OWNERS = these("my our your his her their its")
_ARTICLES = these("a an the this that these those some any another two three four five six both many several few")
_CLOSED = (
    ADVERBS | AUXILIARY | COORDINATE | DETERMINERS | FIRST | OF_FIRST | PREPOSITIONS | QUESTION | SECOND | SUBORDINATE
    | UNRESOLVED | INVERTED | these("who which whom whose to not one ones too all both together again ago if there's")
)  # fmt: skip
_NO_NOUN = _CLOSED | ADJECTIVES | OPENERS | these("sorry tough happy sad calm okay")
_ADJECTIVAL = ("ful", "ous", "ive", "able", "ible", "less", "ly", "est", "ic", "al", "ant", "ent")
_PRONOUNS = these("it he she they")
_OF_PLACES = these("in to at from about on through visit visited")
"""Words before a name that say it is no person's."""


class Phrase(NamedTuple):
    """A noun phrase as it is said again of the speaker of *its* sentence, or "" where it cannot be.

    *noun* is its last word, *many* and *who* (thing, she, he, somebody, name) what a pronoun asks for, *bare* its words
    without an article, *before* the word before it. A pronoun that points back itself is a phrase whose noun it is.
    """

    text: str
    noun: str
    many: bool
    who: str
    before: str
    place: int
    bare: str
    end: int = 0

    @property
    def behind(self) -> bool:
        """True behind a preposition, where it is less likely meant."""
        return self.before in PREPOSITIONS

    @property
    def points(self) -> bool:
        """True for a pronoun."""
        return self.noun in _PRONOUNS


def phrases(words: Sequence[Word], *, own: bool) -> list[Phrase]:
    """Return the noun phrases of a sentence in order; *own* says that who points back spoke it, too."""
    found, at = list[Phrase](), 0
    while at < len(words):
        last = found[-1] if found and found[-1].end == at - 1 and words[at - 1].low in ("and", "or") else None
        size, phrase = _phrase(words, at, own=own, listed=last is not None)
        if phrase is not None:
            phrase = phrase._replace(end=at + size)
            if last is not None and not last.points and not phrase.points:
                phrase = _both(found.pop(), phrase, words[at - 1].low)
            found.append(phrase)
        at += max(size, 1)
    return found


def _both(one: Phrase, other: Phrase, joint: str) -> Phrase:
    """Two phrases of a list as one; of two of which one is meant nobody knows which."""
    known = one.text and other.text and joint == "and"
    text = f"{one.text} and {other.text}" if known else ""
    who = one.who if one.who == other.who else "thing"
    return Phrase(text, f"{one.noun}+{other.noun}", True, who, one.before, one.place, text, other.end)


def _phrase(words: Sequence[Word], at: int, *, own: bool, listed: bool = False) -> tuple[int, Phrase | None]:
    """The number of words of the phrase that begins at *at*, and the phrase; 0 where none begins."""
    low = words[at].low
    before = words[at - 1].low if at else ""
    head = low.partition("'")[0]
    if low == "her" and (at + 1 == len(words) or words[at + 1].low in _CLOSED or not words[at + 1].low[0].isalpha()):
        head = "she"
    if head in ("it", "they", "he", "she") or low in ("them", "him"):
        head = {"them": "they", "him": "he"}.get(head, head)
        return 1, Phrase("", head, head == "they", "pronoun", before, at, "")
    if low in ("this", "that") and at + 1 < len(words) and not _is_shown(words, at + 1):
        return 0, None
    if low in _ARTICLES or low in _OWNERS:
        size = _size(words, at + 1)
        return (size + 1, _made(words, at, size, own=own, before=before)) if size else (0, None)
    if words[at].text[0].isupper() and low not in _NO_NOUN and _is_name(words, at):
        size = 1
        while at + size < len(words) and _in_name(words, at + size):
            size += 1
        text = " ".join(word.text for word in words[at : at + size])
        if low.endswith("'s") and (more := _size(words, at + size)):
            nouns = words[at + size : at + size + more]
            text = f"{text} {' '.join(word.text for word in nouns)}"
            return size + more, _of(text, nouns[-1].low, before, at, " ".join(word.text for word in nouns))
        return size, Phrase(text, words[at + size - 1].low, False, "name", before, at, text)
    if at == 0 and (size := _doing(words)):
        text = " ".join(["my" if word.low == "our" else word.low for word in words[:size]])
        return size, Phrase(text if own else "", words[size - 1].low + "-ing", False, "thing", "", 0, text)
    if _begins_bare(words, at, listed=listed):
        size = _size(words, at)
        if size:
            text = " ".join(word.text if word.text.isupper() else word.low for word in words[at : at + size])
            return size, _of(text, words[at + size - 1].low, before, at, text)
    return 0, None


def _made(words: Sequence[Word], at: int, size: int, *, own: bool, before: str) -> Phrase | None:
    nouns = [word for word in words[at + 1 : at + 1 + size] if word.low not in FILLERS]
    if not nouns:
        return None
    noun, bare, low = nouns[-1].low, " ".join(word.text for word in nouns), words[at].low
    owner = {"my": "my" if own else "", "our": "our" if own else "", "your": "" if own else "my"}.get(low, "the")
    if low in ("his", "her", "their", "its"):
        owner = ""
    text = f"{owner} {bare}" if owner else ""
    if noun in NOTHING or noun.endswith("day"):
        return None
    return _of(text, noun, before, at, bare)


def _of(text: str, noun: str, before: str, at: int, bare: str) -> Phrase | None:
    if noun in NOTHING or noun.endswith(("day", "'s")):
        return None
    who = "she" if noun in SHE else "he" if noun in HE else "somebody" if noun in PERSONS else "thing"
    if who == "thing" and noun.endswith("s") and noun[:-1] in PERSONS:
        who = "somebody"
    many = noun in MANY or (noun.endswith("s") and not noun.endswith(("ss", "us", "is", "'s", "ics")))
    return Phrase(text, noun, many, who, before, at, bare)


def _size(words: Sequence[Word], at: int) -> int:
    """The number of words of the nouns that begin at *at*."""
    end = at
    while end < len(words) and end - at < LONGEST and _goes_on(words, at, end):
        end += 1
    while end > at and (words[end - 1].low in ADJECTIVES or words[end - 1].low in FILLERS):
        end -= 1
    return end - at


def _goes_on(words: Sequence[Word], at: int, place: int) -> bool:
    low = words[place].low
    if low in FILLERS and place == at:
        return True
    if not low[0].isalnum() or low in _CLOSED:
        return False
    if place == at:
        return True
    after = words[place + 1].low if place + 1 < len(words) else "."
    before = words[place - 1].low
    if low in _VERBS or low in NO_NOUNS:
        return False
    if before in ADJECTIVES:
        return True
    if verbs.is_past(low) or (low.endswith("ed") and place > at):
        return False
    lemma = verbs.lemma(low)
    if lemma not in verbs.BASE:
        return True
    ends = not after[0].isalnum() or after in PREPOSITIONS or after in AUXILIARY or after in ("and", "or")
    if low.endswith("ing") and (before in PERSONS or before in TOGETHER or before in MANY or before == "fam"):
        return False
    if low.endswith("ing") or (low != lemma and low.endswith("s")):
        return ends
    return not before.endswith("s") and before not in MANY and (ends or after not in _CLOSED)


def _doing(words: Sequence[Word]) -> int:
    """The number of words of a doing with which a sentence begins: `playing the harp` before `helps me`."""
    if not words[0].low.endswith("ing") or verbs.lemma(words[0].low) not in verbs.BASE:
        return 0
    for at in range(2, min(len(words), 7)):
        low = words[at].low
        if not low[0].isalnum() or low in SECOND or low in FIRST:
            return 0
        if low in AUXILIARY or (low in _VERBS and words[at - 1].low not in DETERMINERS):
            return at
    return 0


def _is_shown(words: Sequence[Word], at: int) -> bool:
    """True for the noun behind a *that* or *this*: `that plate`, not `that sounds` nor `that recent`."""
    low = words[at].low
    one = at + 1 >= len(words) or words[at + 1].low in _CLOSED or not words[at + 1].low[0].isalnum()
    return not (low in _VERBS or (one and (low in ADJECTIVES or low.endswith(_ADJECTIVAL) or verbs.is_past(low))))


_VERBS = these(
    """looks sounds seems feels makes takes gets goes means needs wants loves likes helps gives keeps brings says shows
    reminds teaches works comes tastes smells costs lets"""
)
"""Forms of verbs that are no nouns, or seldom."""


def _is_name(words: Sequence[Word], at: int) -> bool:
    """True for a name within a sentence, and not of who is spoken to."""
    after = words[at + 1] if at + 1 < len(words) else None
    before = words[at - 1].low if at else ""
    if after is not None and after.text[0].isupper() and after.low not in FIRST:
        return at > 0
    return before in _OF_PLACES or before in ("named", "called", "friend", "name", "is") or before in PERSONS


def _in_name(words: Sequence[Word], place: int) -> bool:
    word = words[place]
    if word.low in ("of", "the"):
        after = words[place + 1] if place + 1 < len(words) else None
        return after is not None and (after.text[0].isupper() or after.low == "the")
    return word.text[0].isupper() and word.low not in FIRST


def _is_noun(low: str) -> bool:
    return low[0].isalpha() and low not in _NO_NOUN and not low.endswith("'s")


def _begins_bare(words: Sequence[Word], at: int, *, listed: bool) -> bool:
    """True for nouns without an article: what a sentence begins with, or what follows a verb or a preposition."""
    low = words[at].low
    if at and low in ADJECTIVES and at + 1 < len(words) and words[at - 1].low not in DETERMINERS:
        more = words[at + 1].low
        return _is_noun(more) and more.endswith("s") and more not in NOTHING and verbs.lemma(more) not in verbs.BASE
    if not _is_noun(low) or low in NOTHING or low in PARTICLES or low.endswith("ly"):
        return False
    doing, after = low.endswith("ing"), words[at + 1].low if at + 1 < len(words) else "."
    if at == 0:
        if doing:
            return after in AUXILIARY or (verbs.lemma(after) in verbs.BASE and after.endswith("s"))
        plain = verbs.lemma(low) not in verbs.BASE and not low.endswith(_ADJECTIVAL)
        return plain and (after in AUXILIARY or after in _VERBS or verbs.is_base(after) or verbs.is_past(after))
    before = words[at - 1].low
    if not (listed or before in PREPOSITIONS or (verbs.lemma(before) in verbs.BASE and verbs.lemma(before) != "be")):
        return False
    if doing:
        return not after[0].isalnum() or after in _CLOSED
    if before == "to" and verbs.is_base(low):
        return False
    return not (verbs.lemma(low) in verbs.BASE or low.endswith(_ADJECTIVAL) or verbs.is_past(low))


def fits(phrase: Phrase, pronoun: str) -> bool:
    """Return whether a *pronoun*, as it, they, he or she, may mean what a phrase names."""
    if pronoun == "they":
        return phrase.many or phrase.noun in TOGETHER
    if phrase.many:
        return False
    if phrase.who == "name":
        if phrase.before == "is":
            return pronoun != "they"
        placed = phrase.before in _OF_PLACES or " " in phrase.text
        return placed if pronoun == "it" else phrase.before not in _OF_PLACES
    if pronoun == "it":
        return phrase.who == "thing" or phrase.noun in PETS
    return phrase.who in (pronoun, "somebody")
