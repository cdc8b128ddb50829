"""Words that mean nothing to a reader without the context. A clause with only such words is no statement."""

from collections.abc import Sequence
from functools import lru_cache

from slowwave.rules.statements import verbs
from slowwave.rules.statements.vague_words import EMPTY, FAINT, HOLLOW, NOUNS, VERBS
from slowwave.rules.statements.words import ADVERBS, DANGLING, FIRST, GRAMMAR, LISTS, OF_FIRST, OPENERS, Word, these

_GRAMMAR = GRAMMAR | DANGLING | OPENERS | these("what who how where why something's i'll we'll himself herself")
_PRAISE = these("great good nice cool awesome amazing wonderful incredible fun interesting fantastic")
_MIGHT = these("i'll we'll will gonna")
_ON_A_DAY = these("tomorrow tonight next weekend monday tuesday wednesday thursday friday saturday sunday")
_MERE = LISTS["assurances"]
"""Verbs of polite assurances about the future: *I'll make sure*, *I'll check it out*."""


_TOGETHER = LISTS["of two people"]
"""Words for a relation between two people, which describe neither of them alone."""

_SOON = 5
NAMED = 4
"""The weight of a name. With a name, even an assurance counts as a plan."""
_OF_PEOPLE = LISTS["activities of people"]
"""Activities of people, not of pets. Without a subject, they are activities of the speaker."""
LONG = 7
"""The number of words from which a clause counts as specific."""


def informative_words(words: Sequence[Word]) -> int:
    """Return the number of words that mean something to a reader without the context."""
    return len(_weights(words))


def weight(words: Sequence[Word]) -> int:
    """Return how much *words* tell a reader without the context: 3 per specific word, 1 per weak word.

    Verbs, adverbs, and general nouns (`book`, `team`) are weak. A gerund (`hiking`) counts 2, and a name counts 4.
    """
    return sum(_weights(words).values())


def _weights(words: Sequence[Word]) -> dict[str, int]:
    return {
        low: weight
        for text, low, start, _ in words
        if (weight := _weight(low, start > 0 and text[0].isupper())) is not None
    }


@lru_cache(maxsize=8_192)
def _weight(low: str, name: bool) -> int | None:
    """Return the weight of a word, which may be a *name*; None for a word that means nothing without the context."""
    bare = low.removesuffix("'s")
    if not low[0].isalnum() or bare in _GRAMMAR:
        return None
    if name:
        return 4
    if bare in HOLLOW or verbs.lemma(bare) in VERBS or bare.isdigit():
        return None
    lemma = verbs.lemma(low)
    if low in EMPTY or low.removesuffix("s") in NOUNS:
        return 0
    if low in FAINT or lemma in FAINT or low.endswith(("ly", "n't")) or (low.endswith("ed") and len(low) > 4):
        return 1
    return 3 if lemma not in verbs.BASE else 2 if low.endswith("ing") else 1


def means_nothing(low: str, *, name: bool = False) -> bool:
    """Return whether a word is empty, such as a function word, `thing`, `great` or `really`.

    *name* says that the word is a name.
    """
    return not _weight(low, name) or low.endswith("ly")


def has_content(words: Sequence[Word], kind: str) -> bool:
    """Return whether a clause of this *kind* (see `self_reference`) says enough to be kept."""
    low = [word.low for word in words]
    if kind == "thing":
        return True
    if kind == "shows":
        return informative_words(words) >= 2
    if kind == "other":
        exact = any(character.isdigit() for word in words for character in word.low)
        return informative_words(words) >= (1 if exact or len(words) >= LONG else 2)
    if kind == "finds" and low[-2:-1] == ["how"]:
        return False
    if kind == "finds":
        return informative_words(words) >= (0 if _PRAISE.isdisjoint(low[:5]) else 1)
    if kind == "elided" and low[0].endswith("ing") and not _is_own(words, low):
        return False  # it is unclear who learns commands: the speaker, or the puppy in the question
    if kind == "we" and not _TOGETHER.isdisjoint(low) and "with" not in low and _among_us(low):
        return False
    if kind in ("i", "we") and (
        ("can't wait" in " ".join(low[:5]) and weight(words) < LONG)
        or (_assures(low) and informative_words(words) < 3 and weight(words) < NAMED)
    ):
        return False
    return informative_words(words) >= (0 if len(words) >= LONG else 1)


def _among_us(low: Sequence[str]) -> bool:
    """Return True if the first words after the verb are about a relation of people: `we have different skills`."""
    at = next((place for place, word in enumerate(low) if word in _TOGETHER), len(low))
    return low[0].startswith("we") and (at < _SOON or low[at] in ("both", "common", "alike") or at + 1 == len(low))


def _is_own(words: Sequence[Word], low: Sequence[str]) -> bool:
    """Return True for an activity of the speaker: in the future, or with *my*, a name or a number."""
    ahead = low[:2] == ["going", "to"] or " ".join(low[:3]) in ("looking for a", "looking for an")
    if ahead or low[0] in _OF_PEOPLE or not (OF_FIRST | FIRST).isdisjoint(low):
        return True
    return is_named(words[1:])


def is_named(words: Sequence[Word]) -> bool:
    """Return whether a name or a number is among *words*."""
    return any(word.text[0].isupper() or any(one.isdigit() for one in word.low) for word in words)


def _assures(low: Sequence[str]) -> bool:
    """Return True for a polite assurance without a day: `I'll keep that in mind`."""
    at = next((place for place, word in enumerate(low[:4]) if word in _MIGHT), None)
    if at is None or not _ON_A_DAY.isdisjoint(low):
        return False
    verb = next((word for word in low[at + 1 :] if word not in ADVERBS and word != "to"), "")
    return verb in _MERE
