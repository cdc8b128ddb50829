"""Judging clauses, which only say how something was; they are dropped."""

import re
from collections.abc import Sequence

from slowwave.rules.statements import verbs
from slowwave.rules.statements.vague_words import ADJECTIVES
from slowwave.rules.statements.words import ADVERBS, these

_TELLING = these(
    """hard tough sad difficult emotional special scary peaceful therapeutic magical tricky easy calm fun intense
    exhausting unforgettable expensive important"""
)
_MERE_PRAISE = these(
    """good great nice amazing awesome cool wonderful incredible beautiful fantastic lovely perfect fun special exciting
    rewarding hard tough difficult"""
)
_ENDINGS = ("ing", "ful")
"""Endings of adjectives that say how something was."""
_FELT = these(
    """inspire move excite challenge reward exhaust frustrate relax calm refresh thrill surprise confuse fascinate
    embarrass satisfy fulfil fulfill comfort soothe overwhelm touch humble empower energize motivate bore worry scare
    shock disappoint entertain engage encourage tempt strike charm tire grip"""
)
"""Verbs whose `ing` form says how something was; other `ing` forms say what somebody does: `it's reading`."""
JUDGED = these("it it's that that's this they they're which")
"""Words with which a judgement begins."""
_PRAISED = re.compile(
    r"(?:it|that|this|they|which)(?:'s been| has been| have been|'ve been|'s|'re| is| was| are| were| feels?| felt)"
    r" (?:(?:an?|the|my|our|such|one|both) )*(?P<how>\w[\w-]*)(?P<rest>.*)"
)
_NOTHING_MORE = re.compile(r"(?: (?:and|but) (?:\w+ )?\w+)?[ .!]*")


def praises(low: Sequence[str], *, whole: bool = False) -> bool:
    """Return whether a clause only says how *it* was: `it's been awesome getting to know them`.

    With *whole* it may contain nothing else: `it was so moving and sad`.
    """
    found = _PRAISED.match(" ".join(word for word in low if word not in ADVERBS))
    if found is None or not (found["how"] in ADJECTIVES or _says_how_it_was(found["how"])):
        return False
    return not whole or _NOTHING_MORE.fullmatch(found["rest"]) is not None


def tells_how(low: Sequence[str]) -> bool:
    """Return whether a clause says how it was by more than praise: `it was inspiring and emotional`."""
    return praises(low) and any(_says_how_it_was(word) and word not in _MERE_PRAISE for word in low)


def _says_how_it_was(word: str) -> bool:
    """Return True for an adjective of judgement: `moving`, `tough`."""
    lemma = verbs.lemma(word)
    doing = word.endswith("ing") and lemma in verbs.BASE and lemma not in _FELT
    return word in _TELLING or (word.endswith(_ENDINGS) and not doing)
