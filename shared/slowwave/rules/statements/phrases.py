"""Phrases with little meaning: opinions, platitudes, and references to earlier words."""

import re
from collections.abc import Sequence
from itertools import pairwise, starmap

from slowwave.rules.statements import verbs
from slowwave.rules.statements.contentless_words import means_nothing, weight
from slowwave.rules.statements.coreference import NO_NOUN, OWNED, SHOWING, TIMES, is_vague, names, shows
from slowwave.rules.statements.vague_words import ADJECTIVES, FAINT, NOUNS
from slowwave.rules.statements.words import ADVERBS, FILLERS, FIRST, LISTS, OF_FIRST, PREPOSITIONS, Word, these

_JUDGEMENTS = LISTS["judgements"]
_MERE_PRAISE = LISTS["mere praise"]
_ENDINGS = ("ing", "ful")
"""Endings of adjectives of judgement."""
_FEELINGS = LISTS["feelings"]
"""Verbs whose `ing` form is a judgement; other `ing` forms are activities: `it's reading`."""
JUDGED = these("it it's that that's this they they're which")
"""Words with which a judgement begins."""
_PRAISED = re.compile(
    r"(?:it|that|this|they|which)(?:'s been| has been| have been|'ve been|'s|'re| is| was| are| were| feels?| felt)"
    r" (?:(?:an?|the|my|our|such|one|both) )*(?P<how>\w[\w-]*)(?P<rest>.*)"
)
_NOTHING_MORE = re.compile(r"(?: (?:and|but) (?:\w+ )?\w+)?[ .!]*")
_IDEALS = LISTS["ideals"]
"""Words for values and feelings that everybody shares."""
_MOVES = LISTS["moves"]
"""Verbs for the effect of something on a person: `inspires`, `helps`."""
_JUDGES = LISTS["words of judgement"]
_DEEDS = ("i", "we", "elided")
_FELT = ("other", "moved")
_STRIVES = re.compile(
    r"\bma(?:ke|king) (?:an? )?(?:\w+ ){0,2}(?:difference|impact|change)\b|\bpositive(?:ly)? (?:affect|impact|change)"
    r"|\b(?:stay|staying|stayed|be|remain) (?:\w+ )?(?:positive|focused|optimistic|strong|hopeful|true)\b"
    r"|\b(?:keep|keeping|kept)(?: on)? (?:going|pushing|improving|striving|plugging|growing|trying|moving|fighting)\b"
    r"|\bd(?:ig|ug) deep\b|\bways? to (?:improve|grow|get better)\b|\bget(?:ting)? better\b|\bright attitude\b"
    r"|\b(?:my|our) (?:goals|dreams)\b|\binspire others\b|\blook after (?:myself|ourselves)\b"
)
"""Words for general efforts: `dig deep`, `stay positive`."""
_MAY_STRIVE = LISTS["may strive"]
"""Words for a quick test. Each phrase about general efforts contains one of these words."""
_PRESENT = these("seeing having being watching knowing hearing imagining thinking realizing realising")
"""Verbs of being, perceiving and thinking, which are not deeds."""
_SPECIFIC = these("job goal aim list favorite favourite pregnant")
"""Words that make even a general sentence specific to somebody's life."""
_PLEASED = re.compile(
    r"(?:it|that)(?:'s| is| was| feels| felt|'s been| has been)"
    r" (?:(?:just|so|really|very|super|such|pretty|quite|always|also|truly|an?|all) )*"
    r"(?:good|great|nice|cool|fun|awesome|amazing|wonderful|incredible|lovely|fantastic|exciting|priceless"
    r"|(?:reward|inspir|fulfill|gratify|heartwarm|empower)ing)"
    r"(?: (?:feeling|experience|thing))?,? (?:to (?!have )|how|what|that|when|(?!having)\w+ing)\b"
)
"""Pleasure at an earlier matter: `it's been rewarding to see it grow`."""
TELLS_WHICH = 6
"""The weight of a noun phrase that identifies a thing: `that lake sunrise`."""
TELLS_SOME = 2
"""The least weight of a noun phrase that introduces a thing: `I made this bowl`, but not `I picked this color`."""
_SAYS_WHICH = FIRST | these("my of called named who that that's which where whose with from about by near for in at on")
_DEFINITE = re.compile(
    r"(?<!all )\b(?:the|that|those) (?:(?:whole|great|last|same|next|new|first|final|awesome|amazing) )?"
    r"(?:events?|paintings?|photos?|pic|picture|script|project|victory|win|game|match|tournament|destination|place"
    r"|trip|meeting|show|class|book|movie|film|story|song|recipe|results?|process|response|experience|concert"
    r"|part(?:y|ies)|situation"
    r"|topics?|idea|ideas|issue|problem|changes?|competition|contest|performance|conversation|talk|workshop|session"
    r"|pieces?|design|screenplay|characters?|colors?|tattoo|art|cause|studio|petition|upgrades|moment)\b"
    r"(?! (?:of|for|about|with|at|in|on|from|by|called|named|that|where|which|who|when|to|i|we|he|she|they"
    r"|\w+ (?:user|team)|(?-i:[A-Z])\w*)\b)",
    re.IGNORECASE,
)


def praises(low: Sequence[str], *, whole: bool = False) -> bool:
    """Return whether a clause is only praise or blame: `it's been awesome getting to know them`.

    With *whole*, the clause must contain nothing else: `it was so moving and sad`.
    """
    found = _PRAISED.match(" ".join(word for word in low if word not in ADVERBS))
    if found is None or not (found["how"] in ADJECTIVES or _says_how_it_was(found["how"])):
        return False
    return not whole or _NOTHING_MORE.fullmatch(found["rest"]) is not None


def tells_how(low: Sequence[str]) -> bool:
    """Return whether a clause judges more specifically than praise does: `it was inspiring and emotional`."""
    return praises(low) and any(_says_how_it_was(word) and word not in _MERE_PRAISE for word in low)


def _says_how_it_was(word: str) -> bool:
    """Return True for an adjective of judgement: `moving`, `tough`."""
    lemma = verbs.lemma(word)
    doing = word.endswith("ing") and lemma in verbs.BASE and lemma not in _FEELINGS
    return word in _JUDGEMENTS or (word.endswith(_ENDINGS) and not doing)


def is_platitude(words: Sequence[Word], kind: str = "other") -> bool:
    """Return whether a clause of this *kind* is only about a common feeling or effort: `I keep pushing`."""
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
    return moves and _SPECIFIC.isdisjoint(low) and all(map(_is_general, words))


def only_pleases(words: Sequence[Word]) -> bool:
    """Return whether a clause only says that an earlier event was pleasant: `it was great to see them again`."""
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


def without_demonstratives(words: Sequence[Word]) -> list[Word]:
    """Return *words* without demonstratives before a noun: `this` becomes `a` or `the`, and `these` is dropped."""
    out: list[Word] = []
    for number, word in enumerate(words):
        if word.low not in SHOWING or (word.low == "that" and not shows(words, number)):
            out.append(word)
            continue
        after = next((one for one in words[number + 1 : number + 4] if one.low not in FILLERS), None)
        before = words[number - 1].low if number else ""
        if before == "all" and word.low in ("these", "those") and after and names(after, word.low):
            out.append(Word("the", "the", word.start, word.end))
            continue
        every = before in ("all", "both")
        if after is None or every or before == "like" or not names(after, word.low) or is_vague(words, number, after):
            out.append(word)
        elif word.low in ("this", "that"):
            noun, *called = words[number + 1 : number + 3]
            known = noun.low in NOUNS and any(one.text[0].isupper() and one.low not in FIRST for one in called)
            an = "the" if known or before == "of" else "an" if after.low[0] in "aeiou" else "a"
            out.append(Word(an, an, word.start, word.end))
    return out


def points_out(words: Sequence[Word]) -> bool:
    """Return whether a clause mentions a thing that is unknown without the context: `the food of this city`.

    `I joined this choir` introduces a thing, and `that lake by our house` identifies one.
    """
    return any(
        word.low in SHOWING and (word.low != "that" or shows(words, number)) and _pointed_at(words, number)
        for number, word in enumerate(words)
    )


def _pointed_at(words: Sequence[Word], number: int) -> bool:
    phrase, following = _phrase(words, number + 1)
    after = words[number + 1 + len(phrase) :][:3]
    before = words[number - 1].low if number else ""
    if not phrase or not names(phrase[0], words[number].low) or before in ("all", "both", "like"):
        return False
    if phrase[-1].low in TIMES or phrase[-1].low.endswith("day") or following in _SAYS_WHICH:
        return False
    if following in PREPOSITIONS and any(word.text[0].isupper() for word in after):
        return False
    if weight(phrase) < TELLS_SOME:
        return True
    done = [word.low for word in words[max(0, number - 3) : number]]
    if words[number].low == "this" and (before.endswith("ing") or any(map(verbs.is_past, done))):
        return False
    return not any(word.text[0].isupper() for word in phrase) and weight(phrase) < TELLS_WHICH


def _phrase(words: Sequence[Word], start: int) -> tuple[Sequence[Word], str]:
    """Return the words of the noun phrase from *start* on, and the word after it."""
    end = start
    while (
        end < len(words)
        and (words[end].low in FILLERS or words[end].low[0].isalpha())
        and (
            end == start or not (words[end].low in NO_NOUN or verbs.is_past(words[end].low) or words[end].low in OWNED)
        )
    ):
        end += 1
    return words[start:end], words[end].low if end < len(words) else ""


def lost_referent(text: str) -> bool:
    """Return whether *text* is about a thing that only earlier words identify: `the painting`."""
    return _DEFINITE.search(text) is not None
