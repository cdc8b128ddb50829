"""Turns of phrase about the speaker with another subject: `it's hard to`, `it made me`."""

import re
from collections.abc import Sequence
from itertools import pairwise

from slowwave.rules.statements import verbs
from slowwave.rules.statements.words import ADVERBS, AUXILIARY, DETERMINERS, UNRESOLVED, these

_THOUGHT = these("realize realise remember appreciate understand see think consider want feel learn")
HARD = these("hard tough difficult tricky scary stressful challenging frustrating sad overwhelming")
_JUDGED = these(
    """rewarding hard sad empowering difficult tough easy calming relaxing comforting fulfilling fun scary
    stressful challenging exciting frustrating therapeutic refreshing satisfying interesting heartbreaking
    overwhelming cool nice good important essential great helpful amazing awesome"""
)


def judged(low: Sequence[str]) -> int:
    """Return the number of words in `it's so hard` before its subject matter, `to leave`; 0 if nothing follows."""
    at = 1
    if low[0] == "it":
        if low[1:2] not in (["is"], ["was"], ["feels"], ["felt"]):
            return 0
        at = 2
    while at < len(low) and (low[at] in ADVERBS or low[at] in ("been", "be")):
        at += 1
    if at + 2 >= len(low) or low[at] not in _JUDGED:
        return 0
    return at + 1 if low[at + 1] in ("to", "how", "that", "when", "having", "being", "seeing") else 0


def moved(low: Sequence[str]) -> int:
    """Return the number of words in `it made me` and similar phrases before the speaker's thought; 0 for others."""
    after = [word for word in low if word not in ADVERBS]
    if after[:1] not in (["it"], ["that"], ["this"]) or after[2:3] != ["me"]:
        return 0
    of_past = after[0] != "it" and after[3:4] == ["of"]
    if (after[1] in ("reminds", "reminded") and not of_past) or (
        after[1] in ("made", "makes") and after[3:4] and after[3] in _THOUGHT
    ):
        return low.index("me") + 1
    return 0


def shown(low: Sequence[str], *, opens: bool = True) -> int:
    """Return the number of words in a `here's` with which the speaker shows something of theirs; 0 for others.

    `that's my style` shows something only where it *opens* a sentence; else it is about the words before.
    """
    if low[0] in ("here's", "heres"):
        return 1
    if low[0] == "that's" and not opens:
        return 0
    own = low[2:3] in (["my"], ["our"]) or (low[1:2] in (["my"], ["our"]) and low[0] == "that's")
    if own and (low[:2] in (["this", "is"], ["these", "are"], ["that", "is"], ["those", "are"]) or low[0] == "that's"):
        return 1 if low[0] == "that's" else 2
    return 2 if low[:2] in (["here", "is"], ["here", "are"]) else 0


def is_finite(low: str) -> bool:
    """Return whether a word is the verb of a main clause: `Losing the job gave ...`, not `Seeing her face light up`."""
    lemma = verbs.lemma(low)
    return low in AUXILIARY or verbs.is_past(low) or (low != lemma and low.endswith("s") and lemma in verbs.BASE)


_OF_ALL = re.compile(
    r"\bour (?:own )?(?:future gen|well-?being|souls?\b|spirits|minds|bodies|hearts|planet|society|world)"
)
_BEHIND_IS = DETERMINERS | these("been my our gonna not")


def is_short_for_is(low: Sequence[str], place: int) -> bool:
    """Return whether a word has a verb in it: `the guitar's my thing`, but not `my sister's bakery`."""
    after = low[place + 1] if place + 1 < len(low) else ""
    doing = after.endswith("ing") and verbs.lemma(after) in verbs.BASE
    noun = low[place].removesuffix("'s")
    if noun == low[place] or low[place] in UNRESOLVED or noun.endswith(("day", "night", "tomorrow")):
        return False
    return after in _BEHIND_IS or after in ADVERBS or doing


def of_everybody(low: Sequence[str]) -> bool:
    """Return whether *us* or *our* means people in general: a speaker who means themselves also says *me* or *my*."""
    if _OF_ALL.search(" ".join(low)) and not past(low):
        return True
    us = low.index("us") if "us" in low else len(low)
    own = "our" in low[:us] or past(low, perfect="," not in low[:us])
    return "can" in low or not own


def past(low: Sequence[str], *, perfect: bool = False) -> bool:
    """Return whether there is a verb of the past; with *perfect*, a *has* counts only before another verb."""
    for word, after in pairwise((*low, "")):
        if verbs.is_past(word) or word in ("was", "were", "did", "had", "been"):
            return True
        if word in ("has", "have") and not (perfect and verbs.lemma(after) in (after, "be")):
            return True
    return False
