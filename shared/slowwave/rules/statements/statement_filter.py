"""Statements that are worth keeping, without temporary moods, past events without details, and empty words."""

import re
from collections.abc import Sequence

from slowwave.rules.statements.contentless_words import weight
from slowwave.rules.statements.other_subjects import HARD, is_finite
from slowwave.rules.statements.phrases import lost_referent
from slowwave.rules.statements.sentences import Statement
from slowwave.rules.statements.vague_words import HOME, PERSONS, PLACES, TOGETHER, WORK
from slowwave.rules.statements.words import ADVERBS, AUXILIARY, LISTS, Word, these, words_of

ENOUGH = 7
"""The weight from which a statement is kept without a day, a number or a name."""
SOME = 5
"""The same weight for a statement about an effect on a person."""
_PICTURED = these("photo photos pic pics picture pictures snap snapshot peek shot look glimpse video clip selfie")
_MOODS = LISTS["moods"]
"""Adjectives for how somebody feels at the moment."""
_LASTING = LISTS["lasting"]
"""Verbs of past deeds with a lasting result, such as *get*, *begin*, *end*, *decide* or *make*."""
_GOOD = these("awesome amazing best great priceless worth rewarding fun nice cool wonderful special cute beautiful")
_OF_LIFE = (
    PERSONS
    | WORK
    | HOME
    | LISTS["of life"] - these("site lesson show book day friend person game board team project review release version")
)
"""Nouns for important parts of a life, which add to the weight of a statement."""
LIFE = 2
"""The weight that each noun for an important part of a life adds."""
_LASTED = re.compile(
    r"\b(?:for|since)(?: \w+){0,4} (?:years?|months?|weeks?)\b|\b(?:years?|months?) (?:ago|now)\b"
    r"|\bsince (?:the user|\d)",
    re.IGNORECASE,
)
_OF_OWN = re.compile(r"reminded of .*\b(?:their|had|saw|took|did)\b")
_POSSIBLY = these("would could might may")
_PEOPLE = these("user user's their them themself themselves")
_KNOWN = PERSONS | PLACES | TOGETHER | WORK | HOME | these("kids children guys people weather food world day night")
_OFTEN = these("usually often always regularly every generally mostly")
_OUTBURSTS = these("weep cry scream laugh smile sigh giggle grin blush yell")
_MEALS = these("eat drink sleep taste")
_SURGE = re.compile(r"^[^,]{0,40}\b(?:gets?|got|feels?|felt|had) an? (?:surge|rush|wave|burst|sense|feeling) of\b")
_VAGUE_MEETING = re.compile(
    r"[^\s,]+ (?:(?:has|is|been|got|had|gets|the chance|to|meet and) )*"
    r"(?:met|meet(?:ing|s)?|talk(?:ed|ing|s)|spoke|chatt?(?:ed|ing|s)|network(?:ed|ing|s)|connect(?:ed|ing|s)?)"
    r"(?: to| with)? (?:(?:some|so|many|lots|of|a|lot|few|new|amazing|cool|great|awesome|young|other|nice) )*"
    r"(?:people|folks|someone|somebody|ones)\b(?! (?:about|from|named|called))"
)
"""A meeting with an unnamed person: `talked to someone who shared stories`."""
_SIMILE = re.compile(
    r"^[^,]{0,60}\b(?:feels?|felt|smells?|looks?|sounds?) like (?:an?|some\w*|the \w+ was|\w+ was)\b", re.IGNORECASE
)
"""A comparison of impressions: `feels like an Englishwoman in a novel`."""
_NUMBERS = these("two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty hundred")
_LINKING = these("is was are were has had been be")


def lasts(made: Statement) -> bool:
    """Return whether a statement is worth keeping for later."""
    words = words_of(made.text)
    if _SIMILE.search(made.text) or _SURGE.search(made.text):
        return False
    if made.text.startswith(f"{made.subject}'s name is ") and words[-1].text in made.subject.split():
        return False
    if is_exact(made, words):
        return True
    if lost_referent(made.text) or _VAGUE_MEETING.match(made.text):
        return False
    low = [word.low for word in words]
    low = low[low.index(",") + 1 :] if low[0] == "for" and made.kind == "other" and "," in low[:-1] else low
    score = score_of(made, low)
    if made.kind == "shows":
        return _PICTURED.isdisjoint(low[:8]) or (" of their " in made.text and made.weight > SOME)
    if made.kind == "moved":
        return score >= SOME and ("reminded" not in low[:5] or _OF_OWN.search(made.text) is not None)
    if made.kind == "finds":
        least = 3 if "to" in low[4:8] else 4
        return score >= (3 if not HARD.isdisjoint(low[:7]) else least)
    if made.kind in ("other", "lead"):
        if not _POSSIBLY.isdisjoint(low[:12]) or (
            (low[0] == "a" or low[0].endswith("ing")) and not any(map(is_finite, low[1:]))
        ):
            return False
        if (score < 3 and not _says_of_it(words)) or _is_unnamed(low):
            return False
        doing = low[0].endswith("ing") and "their" in low
        return score >= (2 if _GOOD.isdisjoint(low) else 3 if doing else 4)
    if made.kind not in ("i", "we", "elided"):
        return True
    if _is_mood(low) and "used to" not in made.text:
        return score > ENOUGH
    if made.predicate == "want" and made.tense == "past" and "always" not in low:
        return score >= SOME
    verb = made.predicate.split("_")[0]
    if verb in _OUTBURSTS or (made.tense == "past" and verb in _MEALS):
        return False
    lemma = made.predicate.removeprefix("not_").split("_")[0]
    if made.tense == "past" and lemma not in _LASTING and "used to" not in made.text:
        return score >= (SOME if _OF_LIFE.isdisjoint(low) else 4)
    habit = made.tense != "past" and not _OFTEN.isdisjoint(low)
    return score >= (1 if habit else (SOME if made.kind == "we" else 3) - (made.tense != "past"))


def score_of(made: Statement, low: Sequence[str]) -> int:
    """Return the weight of a statement, plus `LIFE` for each noun in `_OF_LIFE`. *low* are the words in lower case."""
    return made.weight + LIFE * len(_OF_LIFE.intersection(low))


def is_lost(made: Statement) -> bool:
    """Return whether a statement is about a thing that only earlier words name, and contains no other detail."""
    return lost_referent(made.text) and not is_exact(made, words_of(made.text))


def is_exact(made: Statement, words: Sequence[Word]) -> bool:
    """Return whether a statement contains a day, a number or a name."""
    if made.period is not None or _LASTED.search(made.text):
        return True
    own = set(re.findall(r"\w+", made.subject.casefold()))
    return any(
        any(one.isdigit() for one in word.low)
        or word.low in _NUMBERS
        or (word.start > 0 and word.text[0].isupper() and word.low.removesuffix("'s") not in own)
        for word in words
    )


def _says_of_it(words: Sequence[Word]) -> bool:
    """Return whether a statement is specific about its subject.

    `Family time means a lot to the user` is not specific.
    """
    at = _verb_at([word.low for word in words])
    rest = [word for word in words[at:] if word.low not in _PEOPLE]
    return not at or weight(rest) > 0 or any(word.low in ("important", "on") for word in rest)


def _is_unnamed(low: Sequence[str]) -> bool:
    """Return True for a subject that a reader without the context cannot identify: `The eagle symbolizes freedom`."""
    at = _verb_at(low)
    if low[0] != "the" or low[1] in _PEOPLE or not 2 <= at <= 3 or not {"but", "so"}.isdisjoint(low):
        return False
    return low[at - 1] not in _KNOWN and low[at - 1].removesuffix("s") not in _KNOWN


def _verb_at(low: Sequence[str]) -> int:
    return next((place for place, one in enumerate(low[1:], 1) if is_finite(one)), 0)


def _is_mood(low: Sequence[str]) -> bool:
    """Return True for a temporary feeling: `is excited to go`, `has been feeling low`."""
    at = next((place for place, word in enumerate(low) if word in _LINKING), None)
    if at is None:
        return not {"feels", "felt"}.isdisjoint(low[1:4])
    after = [word for word in low[at + 1 :] if word not in ADVERBS and word not in AUXILIARY]
    if after[:2] == ["off", "to"] or after[:2] == ["down", "to"] or after[:2] == ["game", "for"]:
        return True
    return bool(after) and (after[0] in _MOODS or after[0] in ("feeling", "feels", "felt"))
