"""Platitudes: general judgements, and effects on somebody's feelings without a concrete thing."""

import re
from collections.abc import Sequence
from itertools import pairwise, starmap

from slowwave.rules.statements import verbs
from slowwave.rules.statements.contentless_words import means_nothing
from slowwave.rules.statements.phrases.opinion_clauses import praises
from slowwave.rules.statements.vague_words import FAINT
from slowwave.rules.statements.words import OF_FIRST, Word, these

_IDEALS = these(
    """clarity clear driven easier enriching eye-opening faith freeing genuine gratifying harder harmony haven
    heartwarming humble importance inner inspirational legacy light lining linings mental mindset nature's
    nerve-wracking newfound outlet outlets overwhelming platform plugging quality reality refreshing renewed
    reset resilient rock rocks scary self-acceptance self-care self-discovery self-expression sharp silver
    stressful support-system surreal system tricky unity validating vibrant vision well-being wellbeing"""
)
"""Words for values and feelings that everybody shares."""
_MOVES = these(
    """boost brighten bring calm change cheer drive empower encourage energise energize fuel give help inspire
    keep let lift make motivate refresh remind soothe take teach touch"""
)
"""Verbs for the effect of something on a person: `inspires`, `helps`."""
_JUDGES = these(
    """amazing awesome beautiful best blast blessing boost cool difficult easy escape exciting fantastic fulfilling fun
    good great hard haven important incredible inspiring journey key lovely nice perfect powerful rewarding rock
    rocks rough special tough wild wonderful"""
)
_DEEDS = ("i", "we", "elided")
_FELT = ("other", "moved")
_STRIVES = re.compile(
    r"\bma(?:ke|king) (?:an? )?(?:\w+ ){0,2}(?:difference|impact|change)\b|\bpositive(?:ly)? (?:affect|impact|change)"
    r"|\b(?:stay|staying|stayed|be|remain) (?:\w+ )?(?:positive|focused|optimistic|strong|hopeful|true)\b"
    r"|\b(?:keep|keeping|kept)(?: on)? (?:going|pushing|improving|striving|plugging|growing|trying|moving|fighting)\b"
    r"|\bd(?:ig|ug) deep\b|\bways? to (?:improve|grow|get better)\b|\bget(?:ting)? better\b|\bright attitude\b"
    r"|\b(?:my|our) (?:goals|dreams)\b|\binspire others\b|\blook after (?:myself|ourselves)\b"
)
"""Words of efforts without an object: `dig deep`, `stay positive`."""
_MAY_STRIVE = these(
    """difference impact change positive positively focused optimistic strong hopeful true keep keeping kept dig dug way
    ways better attitude goals dreams inspire look"""
)
"""Each of these phrases contains one of these: a quick test."""
_PRESENT = these("seeing having being watching knowing hearing imagining thinking realizing realising")
"""Verbs of being, perceiving and thinking, which are no deeds."""
_TOLD = these("job goal aim list favorite favourite pregnant")
"""Words with which even a general sentence tells something of somebody's life."""
_PLEASED = re.compile(
    r"(?:it|that)(?:'s| is| was| feels| felt|'s been| has been)"
    r" (?:(?:just|so|really|very|super|such|pretty|quite|always|also|truly|an?|all) )*"
    r"(?:good|great|nice|cool|fun|awesome|amazing|wonderful|incredible|lovely|fantastic|exciting|priceless"
    r"|(?:reward|inspir|fulfill|gratify|heartwarm|empower)ing)"
    r"(?: (?:feeling|experience|thing))?,? (?:to (?!have )|how|what|that|when|(?!having)\w+ing)\b"
)
"""Pleasure at what was already told: `it's been rewarding to see it grow`."""


def is_platitude(words: Sequence[Word], kind: str = "other") -> bool:
    """Return whether a clause of this *kind* tells only what moves or pleases somebody, or that they do their best:
    `family time means a lot to me`, `I keep pushing`.
    """
    low = [word.low for word in words]
    if kind in _DEEDS:
        return (
            not _MAY_STRIVE.isdisjoint(low)
            and _STRIVES.search(" ".join(low)) is not None
            and all(map(_is_general, words))
        )
    if kind == "other" and (
        low[:2] == ["moments", "like"] or (low[0] in _PRESENT and ("feel" in low or _only_praised(low)))
    ):
        return True
    moves = kind in _FELT and (not _JUDGES.isdisjoint(low) or any(starmap(_moves, pairwise((*low, "")))))
    return moves and _TOLD.isdisjoint(low) and all(map(_is_general, words))


def only_pleases(words: Sequence[Word]) -> bool:
    """Return whether a clause adds only pleasure to what was told: `it was great to see them again`."""
    return _PLEASED.match(" ".join([word.low for word in words])) is not None


def _moves(verb: str, after: str) -> bool:
    """Return True for a verb that states an effect on the speaker: `reminds me`, `means a lot`."""
    lemma = verbs.lemma(verb)
    return lemma in ("mean", "matter", "feel") or (lemma in _MOVES and after in OF_FIRST)


def _only_praised(low: Sequence[str]) -> bool:
    """Return True for a sentence that ends with praise: `seeing their smiles was awesome`."""
    at = next((place for place in range(len(low) - 1, 0, -1) if low[place] in ("is", "was")), 0)
    return at > 0 and praises(["it", *low[at:]], whole=True)


def _is_general(word: Word) -> bool:
    low = word.low.removesuffix("'s")
    name = word.start > 0 and word.text[0].isupper() and low[:2] not in ("i", "i'")
    return means_nothing(low, name=name) or (not name and (low in _IDEALS or low in FAINT or verbs.lemma(low) in FAINT))
