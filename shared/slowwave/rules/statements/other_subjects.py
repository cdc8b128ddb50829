"""Sentences about the speaker with another grammatical subject: fixed phrases, things, or the team as *we*."""

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile

from slowwave.core.contradiction.values import DAY
from slowwave.rules.statements import verbs
from slowwave.rules.statements.contentless_words import weight
from slowwave.rules.statements.third_person import Person
from slowwave.rules.statements.vague_words import HOME, PERSONS, TEAMWORK, VALUED, WORK
from slowwave.rules.statements.words import (
    ADVERBS,
    AUXILIARY,
    COORDINATE,
    DETERMINERS,
    FIRST,
    LISTS,
    OF_FIRST,
    SUBORDINATE,
    UNRESOLVED,
    Word,
    these,
)  # fmt: skip

_THOUGHT = these("realize realise remember appreciate understand see think consider want feel learn")
HARD = these("hard tough difficult tricky scary stressful challenging frustrating sad overwhelming")
_JUDGED = LISTS["judgements of others"]
_OF_ALL = re.compile(
    r"\bour (?:own )?(?:future gen|well-?being|souls?\b|spirits|minds|bodies|hearts|planet|society|world)"
)
_AFTER_SHORT_IS = DETERMINERS | these("been my our gonna not")
TEAM = Person("the team")
"""The person to whom *we* refers at work."""
MOST_WORDS = 7
"""The maximum number of words before the verb in a clause about a thing."""
LEAST = 3
"""The least weight of a statement about a thing, if the statement has no day, number or name."""
_KNOWN = WORK | HOME
_ARTICLES = these("the our")
_AFTER_NOUN = these("of for in on at with from to")
_NO_SUBJECT = FIRST | UNRESOLVED | SUBORDINATE | COORDINATE | AUXILIARY | (OF_FIRST - {"our"}) | {",", "a", "an"}
_EXACT = re.compile(r".*\d|.*\w[./:_@]\w|(?:mon|tues|wednes|thurs|fri|satur|sun)days?$")
"""A number, an address or a day."""
_TEAMWORK = {
    verb + ending for verb in TEAMWORK for ending in ("", "s", "d", "ed", f"{verb[-1]}ed", "ing", f"{verb[-1]}ing")
} | {f"{verb[:-1]}ing" for verb in TEAMWORK}
_SCRAPPED = these("scrap ignore forget disregard drop strike scratch")
_RETRACTED = re.compile(
    r"(?:(?:no|oh|ok|sorry|actually|wait|well|please),? ){0,3}"
    r"(?:my (?:mistake|bad)|(?:scrap|ignore|forget|disregard|drop|strike|scratch) (?:that|what I(?:'ve| have)?"
    r" (?:just )?(?:said|told you|wrote)(?: (?:earlier|before|just now|yesterday))?))"
    r"(?: ?[,:;\u2013\u2014-]+) ?(?=(?:the|our|my|we|I)\b)",
    re.IGNORECASE,
)
"""The beginning of a sentence that takes back earlier words and gives the right words."""
_LONGEST_RETRACTION = 14
_PASSIVE = these("was were got been")
_AFTER_IS = these("at on in off now due moved moving over closed")
"""Words before which `'s` after a noun means *is*, not possession."""
_NO_NOUN = these("it that this he she there here what where who when how let one")
_KIN = these("mum mom dad grandma grandpa granny gran nan nana grandad granddad mama papa auntie")
_IN_PLACE = re.compile(r"\S+(?:['\u2019]s| is)(?: still| now)? (?:in|near) [A-Z]")
_ALIKE = these("we we're we've we'll our ours us")
_OWN = these("i i'm i've i'd i'll my me mine home house flat apartment wedding holiday trip dinner")


def judged(low: Sequence[str]) -> int:
    """Return the number of words before what a judgement is about: 3 for `it's so hard to leave`; 0 for other words."""
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
    """Return the number of words in a phrase such as `it made me` before a thought of the speaker; 0 for others."""
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
    """Return the number of words of `here's` and similar phrases that present a thing of the speaker; 0 for others.

    `that's my style` presents a thing only if it *opens* a sentence; otherwise it refers to the words before.
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


def is_short_for_is(low: Sequence[str], place: int) -> bool:
    """Return whether a word ends with a short form of `is`: `the guitar's my thing`, but not `my sister's bakery`."""
    after = low[place + 1] if place + 1 < len(low) else ""
    doing = after.endswith("ing") and verbs.lemma(after) in verbs.BASE
    noun = low[place].removesuffix("'s")
    if noun == low[place] or low[place] in UNRESOLVED or noun.endswith(("day", "night", "tomorrow")):
        return False
    return after in _AFTER_SHORT_IS or after in ADVERBS or doing


def of_everybody(low: Sequence[str]) -> bool:
    """Return whether *us* or *our* means people in general: a speaker who means themselves also says *me* or *my*."""
    if _OF_ALL.search(" ".join(low)) and not past(low):
        return True
    us = low.index("us") if "us" in low else len(low)
    own = "our" in low[:us] or past(low, perfect="," not in low[:us])
    return "can" in low or not own


def past(low: Sequence[str], *, perfect: bool = False) -> bool:
    """Return whether there is a verb in the past.

    `has` counts; if *perfect* is True, it counts only before a participle.
    """
    for word, after in pairwise((*low, "")):
        if verbs.is_past(word) or word in ("was", "were", "did", "had", "been"):
            return True
        if word in ("has", "have") and not (perfect and verbs.lemma(after) in (after, "be")):
            return True
    return False


def verb_of_thing(words: Sequence[Word]) -> int:
    """Return the index of the verb in a clause about what a thing of work or home is, has or must do; else 0.

    `The movie was great` does not count: past states and praise are not worth keeping.
    """
    low = [word.low for word in words]
    if VALUED.isdisjoint(low):
        return 0
    at = next((n for n, word in enumerate(low[1 : MOST_WORDS + 1], 1) if word in VALUED or _was_moved(low, n)), 0)
    if not at or at + 1 >= len(low) or not _NO_SUBJECT.isdisjoint(low[:at]):
        return 0
    named = low[int(low[0] in _ARTICLES) : next((n for n, word in enumerate(low[:at]) if word in _AFTER_NOUN), at)]
    nouns = [word for word in named if not _EXACT.match(word)]
    value = words[at + 1 :]
    weekly = len(nouns) > 1 and nouns[-1] == "day" and DAY.fullmatch(value[0].low)
    if not nouns or not (weekly or nouns[-1] in _KNOWN) or (low[0] == "our" and nouns[-1] not in WORK):
        return 0
    exact = any(_EXACT.match(word.low) or (word.text[0].isupper() and word.text != "I") for word in value)
    if low[0] not in _ARTICLES and not (exact or nouns[-1].endswith("s") or len(named) > len(nouns)):
        return 0
    informative = [word for word in value if word.low not in ADVERBS and word.low[0].isalnum()]
    return at if exact or (len(informative) > 1 and weight(value) >= LEAST) else 0


def _was_moved(low: Sequence[str], at: int) -> bool:
    return low[at] in _PASSIVE and low[at + 1 : at + 2] == ["moved"]


def in_full(words: list[Word], text: str) -> list[Word]:
    """Return the *words* of a sentence with `'s` for *is* as a separate word: `my lesson's at 5`.

    `Grandma's in Leeds` becomes `my grandma is in Leeds`. `Scrap what I said about the budget, it's 11000` becomes `the
    budget is 11000`, as does `scrap what I said, the budget is 11000`.
    """
    if retracted := _RETRACTED.match(text):
        words = [word for word in words if word.start >= retracted.end()]
    if words and words[0].low.replace("\u2019", "'").removesuffix("'s") in _KIN and _IN_PLACE.match(text):
        first = words[0]
        mine = first._replace(text=first.low, start=first.start + 1)
        words = [Word("my", "my", first.start, first.start), mine, *words[1:]]
    if "'s " not in text and "\u2019s " not in text:
        return words
    low = [word.low for word in words[:_LONGEST_RETRACTION]]
    if low[:1] and low[0] in _SCRAPPED and low[-1:] != ["it's"] and "it's" in low and low[1:3] == ["what", "i"]:
        about, now = (low.index("about") if "about" in low else 0), low.index("it's")
        if 0 < about < now - 1:
            it = words[now]
            return [
                *words[about + 1 : now - (low[now - 1] == ",")],
                Word("is", "is", it.start, it.end),
                *words[now + 1 :],
            ]
    for place, (word, after) in enumerate(pairwise(words[: MOST_WORDS + 1])):
        if word.low in AUXILIARY:
            break
        if word.low.endswith(("'s", "\u2019s")) and after.low in _AFTER_IS and word.low[:-2] not in _NO_NOUN:
            cut = word.end - 2
            noun = Word(word.text[:-2], word.low[:-2], word.start, cut)
            return [*words[:place], noun, Word("is", "is", cut + 1, word.end), *words[place + 1 :]]
    return words


def name_of(words: Sequence[Word]) -> str:
    """Return the thing in *words*, without its article: `staging server` for `our staging server`."""
    return " ".join(word.low for word in words if word.low not in _ARTICLES and word.low not in ADVERBS)


def of_team(words: Sequence[Word]) -> bool:
    """Return whether *we* or *our* in a clause means a team at work, not a home."""
    low = [word.low for word in words]
    if _ALIKE.isdisjoint(low) or any(word in _OWN or word in PERSONS for word in low):
        return False
    if not WORK.isdisjoint(low):
        return True
    at = next((place for place, word in enumerate(low) if word.startswith("we")), len(low))
    rest = [word for word in low[at:] if word not in ADVERBS]
    if rest[:2] in (["we're", "on"], ["we", "are"]) and "on" in rest[1:3]:
        return any(_EXACT.match(word) for word in rest[2:])
    verb = next((word for word in rest[1:3] if word not in AUXILIARY), "")
    to = "to" in rest[2:4] and verbs.lemma(verb) in ("switch", "move")
    return verb in _TEAMWORK or (to and any(_EXACT.match(word) for word in takewhile(lambda one: one != ",", rest[3:])))
