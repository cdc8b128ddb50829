"""The change from first to third person: `I'm learning the piano` by Nora becomes `Nora is learning the piano`."""

from collections.abc import Sequence
from typing import NamedTuple

from slowwave.core.predicates.sentences import does
from slowwave.rules.statements import verbs
from slowwave.rules.statements.words import (
    ADVERBS,
    AUXILIARY,
    BECAUSE,
    COORDINATE,
    DETERMINERS,
    FILLERS,
    FIRST,
    LISTS,
    OF_FIRST,
    PARTICLES,
    PREPOSITIONS,
    Word,
    these,
)

_SHORT = {"'m": "is", "'ve": "has", "'ll": "will", "'re": "is"}
_NEGATED = {"don't": "doesn't", "haven't": "hasn't", "aren't": "isn't", "weren't": "wasn't"}
NO_NOUNS = LISTS["no nouns"]
"""Verbs that are never nouns. After *and*, these words are always verbs."""
_LIST_WORDS = 12
"""The maximum number of words between a verb of a list and its last verb."""
_LEANING = these("also even too now currently recently just finally")
"""Words whose meaning depends on the time or on earlier words."""
_DENIED = these("not isn't wasn't aren't weren't")
"""Words before a filler that removes the negation: `not just a hobby` is not `not a hobby`."""
_LATELY = these("recently just finally already once")
"""Words before *read* that mark it as past."""
_HEDGED = FIRST | ADVERBS | AUXILIARY
_MAY_FILL = FILLERS | _LEANING | these("right sort kind of much")
_PLURAL = these("we we're we've we'd we'll")
_OF_US = these("all both each some most many few none half any two three four")
"""Words before `of us`, which means more people than the speaker."""
_BEFORE_SO = (
    FILLERS | ADVERBS | these("feel feels felt look looks looked get gets got become became been be and a i we it")
)
"""Words after which `so` only adds emphasis."""
_AHEAD = these("gonna wanna gotta")
_IN_FULL = {"gonna": "going to", "gotta": "got to", "wanna": "want to"}
_DURING = these("after before since while by")
"""Words that open a clause about the person named later: `after losing their job, Nora left`."""
_LETTING = these("help make let")
"""Verbs before `me` and a list of verbs: `it helps me rest and feel free`."""
_NO_LONGER = these("no longer")
_BEFORE_VERB = ADVERBS | _NO_LONGER
_SAME = these("put set cut hit quit hurt spread split shut")
"""Verbs whose past equals their base, and that are mostly used in the past."""


_DONE_TO = LISTS["done to"]
"""Participles of a passive before *by*: `rejected by Nokia`, but not `stopped by the shop`."""


class Person(NamedTuple):
    """The speaker, by name. A speaker without a name is the user."""

    known_as: str

    @property
    def subject(self) -> str:
        """The subject under which claims about the speaker are stored."""
        return self.known_as or "user"

    @property
    def name(self) -> str:
        """The name of the speaker in a sentence."""
        return self.known_as or "the user"

    @property
    def possessive(self) -> str:
        """The name of the speaker as an owner: `Nora's`."""
        return f"{self.name}'s"


def in_third_person(
    words: Sequence[Word], person: Person, *, past: bool, elided: bool = False
) -> list[tuple[str, bool]]:
    """Return *words* in the third person. Each word has True if a space precedes it.

    *past* means that the time of the words is in the past. *elided* means that the subject is left out.
    """
    out: list[tuple[str, bool]] = []
    agreeing = present = False
    acting = False
    name = person.name
    named = len(words) > 1 and words[0].low in _DURING and words[1].low.endswith("ing")
    if elided:
        out.append((person.name, True))
        named = acting = agreeing = True
    for number, word in enumerate(words):
        space = number == 0 or words[number - 1].end < word.start or (elided and number == 0)
        low, after = word.low, words[number + 1].low if number + 1 < len(words) else ""
        if low in ("i", "we", "i'm", "we're", "i've", "we've", "i'll", "we'll", "i'd", "we'd", "im", "ive"):
            joined = bool(out) and out[-1][0].lower() in ("and", "but", "or")
            if not (acting and joined) or _in_company(words, number):
                out.append((person.name, space))
            past_before = any(verbs.is_past(one.low) or one.low.endswith("ed") for one in words[1 : number - 1])
            agreeing = acting or not joined or number > 4 or past_before
            named = acting = True
            low = {"im": "i'm", "ive": "i've"}.get(low, low)
            if "'" in low:
                out.append((_contracted(low, [w.low for w in words[number + 1 : number + 4]]), True))
                agreeing = False
                present = False
        elif name in word.text:
            named = True
            out.append((word.text, space))
        elif low == "us" and number > 1 and words[number - 2].low in _OF_US and words[number - 1].low == "of":
            everyone = words[number - 2].low in ("all", "both", "each")
            if everyone:
                del out[-2:]
            out.append((f"{name} and those around them" if everyone else f"those around {name}", True))
            named = True
        elif low in OF_FIRST:
            out.append((_owned(low, person, named, after), space))
            named = True
            present = present and not (low in ("me", "us") and verbs.lemma(words[number - 1].low) in _LETTING)
        elif low in BECAUSE and low != "cause":
            out.append(("because", space))
        elif (low in _MAY_FILL and _fills(words, number)) or (
            low in ("both", "all") and number and words[number - 1].low in _PLURAL
        ):
            continue
        elif agreeing:
            before = words[number - 1].low if number else ""
            subject = next((one.low for one in reversed(words[:number]) if one.low not in _BEFORE_VERB), "")
            if (
                not past
                and low not in _NO_LONGER
                and low not in _NEGATED
                and subject in ("i", "we")
                and verbs.is_unknown_base(low)
            ):
                made, done = does(low), True
            else:
                made, done = _agreed(
                    low, word.text, past or before in _LATELY, elided, by=low in _DONE_TO and after == "by"
                )
            present = present or (made.lower() != low and low not in _AHEAD)
            agreeing, elided = not done, elided and not done
            out += [(part, space or index > 0) for index, part in enumerate(made.split(" "))]
        elif present and low == "to":
            present = number + 1 < len(words) and not verbs.is_base(words[number + 1].low)
            out.append((word.text, space))
        elif (
            low == "have"
            and acting
            and words[number - 1].low == "and"
            and (after in verbs.PARTICIPLE or verbs.is_past(after))
        ):
            out.append(("has", space))
        elif present and (_joined(words, number) or _listed(words, number)):
            out.append((does(low), space))
        else:
            out.append((_IN_FULL.get(low, word.text), space))
    return out


def _in_company(words: Sequence[Word], number: int) -> bool:
    """Return True for `I` in a subject such as `my family and I` after a comma, `and` or `but`."""
    before = [word.low for word in words[max(0, number - 4) : number]]
    return len(before) == 4 and before[0] in (",", "and", "but") and before[1] in ("my", "our")


def _fills(words: Sequence[Word], number: int) -> bool:
    """Return True for a filler word that only adds emphasis; False for a `so` between two clauses."""
    low, before = words[number].low, words[number - 1].low if number else ""
    after = words[number + 1].low if number + 1 < len(words) else ""
    if low == "right" and after == "now":
        return True
    if low == "now" and before == "from":
        return False
    if low == "much":
        return before == "pretty"
    if before in _DENIED or (low == "too" and after[:1].isalpha() and after not in COORDINATE):
        return False
    if _hedges(words, number) or (low == "of" and number and _hedges(words, number - 1)):
        return True
    if low == "even" and before == "," and after in DETERMINERS | OF_FIRST:
        return False
    if low in _LEANING and number and low + after not in ("justlike", "justas", "evenif", "eventhough", "evenwhen"):
        return True
    if low not in FILLERS or not after or (low == "just" and after in ("like", "as")):
        return False
    if low != "so":
        return True
    so_that = [one.low for one in words[number + 2 : number + 3]] == ["that"]
    return (
        not so_that
        and after not in ("that", "much", "many", "far")
        and (before in _BEFORE_SO or before in AUXILIARY or "'" in before)
    )


def _hedges(words: Sequence[Word], number: int) -> bool:
    """Return True for the first word of `kind of` before a verb or an adjective; False in `a kind of things`."""
    if words[number].low not in ("sort", "kind") or [word.low for word in words[number + 1 : number + 2]] != ["of"]:
        return False
    return number > 0 and words[number - 1].low in _HEDGED


def _contracted(low: str, after: Sequence[str]) -> str:
    ending = low[low.index("'") :]
    if ending != "'d":
        return _SHORT[ending]
    verb = next((word for word in after if word not in ADVERBS), "")
    done = verb == "been" or verb.endswith("ed") or (verb in verbs.PARTICIPLE and not verbs.is_base(verb))
    return "had" if done else "would"


def _owned(low: str, person: Person, named: bool, after: str = "") -> str:
    if low == "our" and after and person.name == f"the {after}":
        return "the"
    if low in ("my", "our"):
        return "their" if named else person.possessive
    if low in ("mine", "ours"):
        return "theirs" if named else person.possessive
    if low in ("myself", "ourselves"):
        return "themself" if low == "myself" else "themselves"
    return person.name


def _agreed(low: str, text: str, past: bool, first: bool, *, by: bool = False) -> tuple[str, bool]:
    """Return a word after the subject, changed to agree with it, and whether the word was the verb.

    *first* means that the subject was left out. *by* means that `by` follows: `inspired` becomes `was inspired`.
    """
    is_manner_adverb = low.endswith("ly") and verbs.lemma(low) not in verbs.BASE
    if (low in ADVERBS and low != "not") or low in _NO_LONGER or is_manner_adverb:
        return text.lower() if first else text, False
    if low in ("am", "are", "'m"):
        return "is", True
    if low == "were":
        return "was", True
    if low.endswith("n't"):
        return _NEGATED.get(low, low), True
    if low == "gonna":
        return "is going to", True
    if low in ("gotta", "wanna"):
        return {"gotta": "has to", "wanna": "wants to"}[low], True
    if first and low in ("been",):
        return "has been", True
    if first and by:
        return f"was {text.lower()}", True
    if first and low.endswith("ing"):
        return f"is {text.lower()}", True
    if low in _SAME:
        return text.lower() if first else text, True
    if verbs.is_base(low) and low not in ("felt", "found", "saw", "left") and not (past and verbs.PAST.get(low)):
        if past and low in verbs.PARTICIPLE and low not in ("come", "run", "become"):
            return text, True
        return does(low), True
    if "-" in low and not past and verbs.is_base(low.rpartition("-")[2]):
        return does(low), True
    return text.lower() if first else text, True


def _joined(words: Sequence[Word], number: int) -> bool:
    """Return True for a verb after `and`, `or` or `but` that shares the subject: `and take photos of it`."""
    low = words[number].low
    if not verbs.is_base(low) or number == 0:
        return False
    before = number - 1
    while before > 0 and words[before].low in ADVERBS:
        before -= 1
    if words[before].low not in ("and", "or", "but"):
        return False
    after = words[number + 1].low if number + 1 < len(words) else ""
    return low in NO_NOUNS or after in DETERMINERS or after in OF_FIRST or after in PREPOSITIONS or after in PARTICLES


def _listed(words: Sequence[Word], number: int) -> bool:
    """Return True for a verb within a list of verbs: `tell stories` in `we bake bread, tell stories and sing songs`."""
    if words[number - 1].low != "," or not verbs.is_base(words[number].low):
        return False
    if words[number].low in NO_NOUNS:
        return True
    ahead = range(number + 1, min(len(words) - 1, number + _LIST_WORDS))
    return any(words[place].low in ("and", "or") and _joined(words, place + 1) for place in ahead)


def spelled(parts: Sequence[tuple[str, bool]]) -> str:
    """Return the words as text."""
    return "".join((" " if space and number else "") + text for number, (text, space) in enumerate(parts))
