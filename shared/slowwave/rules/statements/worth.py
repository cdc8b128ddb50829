"""Words that say nothing to who was not there: a clause made of nothing else is no statement."""

from collections.abc import Sequence

from slowwave.rules.statements import verbs
from slowwave.rules.statements.words import (
    ADVERBS,
    AUXILIARY,
    COORDINATE,
    DANGLING,
    DETERMINERS,
    FIRST,
    OF_FIRST,
    OPENERS,
    PREPOSITIONS,
    SECOND,
    SUBORDINATE,
    UNRESOLVED,
    Word,
    these,
)  # fmt: skip

_VERBS = these(
    """be have do get go make take keep try come put give let want need like love feel think know see look find say
    tell talk share work help learn grow improve change start stop continue move push stay live happen mean matter
    meet use enjoy appreciate reach remind remember believe understand deal handle face wait hope bring seem
    become play turn deserve miss figure show support focus process chase strive pursue cherish treasure accept
    realize hit end check spend lead add stick wish agree care follow run stand hang sound catch encourage
    motivate inspire achieve accomplish succeed experience explore express embrace join plan connect set hear
    watch treat fill lose win finish create build cover"""
)
_NOUNS = these(
    """something anything everything nothing someone anyone everyone somebody everybody thing things stuff ton lot
    lots bunch bit way ways time times day days week weekend month year hour hours minute while moment moments
    memory memories blast fun idea ideas chance setback surprise news feeling feelings vibe vibes dream dreams
    goal goals heart journey passion passions difference impact change changes one ones people folks person guy
    guys others other life part parts step steps place places spot kind sort type result results reason point side
    end start experience experiences challenge challenges effort progress success joy happiness love positivity
    strength energy power hope world best self thanks support help mind deal couple pair number level break rest
    talk chat adventure adventures opportunity opportunities future past present look luck win trophy game man all
    pic pics photo photos picture pictures shot adrenaline smile smiles obstacle obstacles struggle struggles"""
)
_ADJECTIVES = these(
    """good great nice bad best better worse amazing awesome cool wonderful incredible beautiful fantastic special
    lovely perfect terrible awful interesting exciting funny unique hard tough rough crazy wild easy difficult
    important big huge small little new old real true same different certain similar many much more most few
    several positive negative happy sad glad proud thankful grateful excited lucky blessed tired ready pumped
    thrilled stoked sure able motivated determined okay ok fine well right wrong welcome worth possible fresh
    whole own next first last free rewarding fulfilling inspiring fun inspired strong hopeful hard-working open
    long short full dear close two three four five six seven ten once twice"""
)
_HOLLOW = _VERBS | _NOUNS | _ADJECTIVES | these("step-by-step on-track forward ahead today tonight tomorrow yesterday")
_GRAMMAR = (
    ADVERBS | AUXILIARY | COORDINATE | DANGLING | DETERMINERS | FIRST | OF_FIRST | PREPOSITIONS | SECOND | SUBORDINATE
    | UNRESOLVED | OPENERS | these("what who how where why something's i'll we'll myself ourselves himself herself")
)  # fmt: skip
_PRAISE = these("great good nice cool awesome amazing wonderful incredible fun interesting fantastic")
_MIGHT = these("i'll we'll will gonna")
_ON_A_DAY = these("tomorrow tonight next weekend monday tuesday wednesday thursday friday saturday sunday")
_MERE = these(
    """make keep try remember cherish enjoy let give take think look see need miss stay reach get do continue add
    save check treasure have stick find feel"""
)
"""Verbs of what somebody will do that are mere assurance: *I'll make sure*, *I'll check it out*."""


LONG = 7
"""Words of a clause that says more than its single words."""


def telling(words: Sequence[Word]) -> int:
    """Return how many words say something that a stranger can hold on to."""
    return len({word.low for word in words if word.low[0].isalnum() and not _hollow(word)})


def _hollow(word: Word) -> bool:
    low = word.low.removesuffix("'s")
    if word.text[0].isupper() and word.start and low not in _GRAMMAR:
        return False
    return low in _HOLLOW or low in _GRAMMAR or verbs.lemma(low) in _VERBS or low.isdigit()


def worth(words: Sequence[Word], kind: str) -> bool:
    """Return whether a clause says enough to be told of whoever speaks, in the way of a `teller`."""
    low = [word.low for word in words]
    if kind == "shows":
        return telling(words) >= 2
    if kind == "other":
        return telling(words) >= (1 if len(words) >= LONG else 2)
    if kind == "finds":
        return telling(words) >= (1 if any(word in _PRAISE for word in low[:5]) else 0)
    if kind in ("i", "we") and ("can't wait" in " ".join(low[:5]) or (_assures(low) and telling(words) < 3)):
        return False
    return telling(words) >= (0 if len(words) >= LONG else 1)


def _assures(low: Sequence[str]) -> bool:
    """True for what somebody says they will do, on no day, to be kind: `I'll keep that in mind`."""
    at = next((place for place, word in enumerate(low[:4]) if word in _MIGHT), None)
    if at is None or any(word in _ON_A_DAY for word in low):
        return False
    verb = next((word for word in low[at + 1 :] if word not in ADVERBS and word != "to"), "")
    return verb in _MERE
