"""Values in sentences, and their corrections: a number for a number, or one word of a repeated sentence, as in `no, I
meant Ada was born on 5 March`.
"""

import re
from dataclasses import replace
from datetime import date

from slowwave.core.beliefs.identity import text_of
from slowwave.core.beliefs.versions import Version
from slowwave.core.contradiction.belief_state import MONTH
from slowwave.core.contradiction.words import words_of
from slowwave.core.predicates.english import PAST_VERB
from slowwave.core.predicates.sentences import on
from slowwave.domain.claim import Claim

_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_ANY_DATE = re.compile(
    rf"\d{{4}}-\d\d-\d\d|\b\d{{1,2}} (?:{MONTH})\b(?: \d{{4}}\b)?|\b(?:{MONTH}) \d{{1,2}}\b(?! \d)", re.IGNORECASE
)
_NUMBER = re.compile(r"[£$€]?\d+(?:[.,:]\d+)*(?: ?[ap]m\b)?")
MEASURE = re.compile(
    rf"(?P<number>{_NUMBER.pattern}) ?(?P<unit>mg|mcg|ml|k?g|kilo|km|mile|second|minute|hour|day|week|month|euro|pound"
    r"|dollar|percent)s?\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"\b\d{1,2}:\d\d(?: ?[ap]m)?\b|\b\d{1,2} ?[ap]m\b")
_HOUR = re.compile(rf"{_CLOCK.pattern}|(?<=\bat )\d{{1,2}}\b(?![.,:]\d)")
_AT = re.compile(r"\bat \d{1,2}(?::\d\d)?(?: ?[ap]m)?\b")
DAY = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?", re.IGNORECASE)
NAMED = re.compile(r"(?:called|named) [A-Z][a-z]+")
NAME = re.compile(r"\b[A-Z][\w'-]*(?: (?:(?:of|de|la|del) )?[A-Z][\w'-]*)*")
DATE = re.compile(
    rf"(?:on )?(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? )?(?:{MONTH})\b"
    r"|(?:the )?\d{1,2}(?:st|nd|rd|th)\b|\d{4}-\d\d",
    re.IGNORECASE,
)
_KINDS = (
    (_ISO_DATE, _ANY_DATE), (_AT, _AT), (_CLOCK, _HOUR), (_NUMBER, _NUMBER), (DAY, DAY), (NAMED, NAMED),
    (NAME, NAME),
)  # fmt: skip
"""The kinds of values, each with the pattern by which a sentence contains them."""
_PHRASE = 4
"""The maximum number of words of a phrase without a verb: `the red one instead`."""
_COMMON = 2
"""The fewest content words that a belief shares with a sentence that is not marked as a correction."""
_SENTENCE = re.compile(
    rf"(?:I|we|he|she|they|it)\b.* .*\S|\S+ .*?\b(?:is|are|was|were|has|have|will|[a-z]{{2,}}s|{PAST_VERB})\b .*\S"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_WORD = re.compile(r"[^\W_](?:[\w.:-]*[^\W_])?")
_CONTRACTED = re.compile(r"['\u2019](?:m|re|s|ve|d|ll)\b")


def is_value(meant: str) -> bool:
    """Return whether words are only a date, a number, a day of the week, a name or a measure."""
    return MEASURE.fullmatch(meant) is not None or any(alone.fullmatch(meant) for alone, _ in _KINDS)


def says_which(claim: Claim) -> bool:
    """Return whether a correction identifies what it corrects: by a unit, or in a whole sentence."""
    found = claim.predicate == "*" and claim.mode == "correct"
    return found and (MEASURE.fullmatch(claim.object) is not None or is_sentence(claim.object))


def value_in(text: str, meant: str) -> str | None:
    """Return the only value in *text* of the kind of *meant* (a date, a number, a day of the week, a name).

    Return None if there are several values, or if its unit differs from the unit of *meant*.

    >>> value_in("The api listens on 8080", "8081"), value_in("Deploys go out on Fridays", "Tuesdays")
    ('8080', 'Fridays')
    >>> value_in("Ada's cleaner is called Julie", "called Judy"), value_in("Ada met Julie", "called Judy")
    ('called Julie', None)
    >>> value_in("8080 and 8081 are open", "8082"), value_in("Rex (dog)", "Max"), value_in("Rome or Oslo", "York")
    (None, 'Rex', None)
    """
    measured, measures = MEASURE.fullmatch(meant), list(MEASURE.finditer(text))
    if measured and measures:
        same = [one[0] for one in measures if one["unit"].casefold() == measured["unit"].casefold()]
        return same[0] if len(same) == 1 else None
    meant = measured["number"] if measured else meant
    kind = next((inside for alone, inside in _KINDS if alone.fullmatch(meant)), None)
    found = kind.findall(text) if kind else []
    return found[0] if len(found) == 1 else None


def value_of(version: Version, meant: str) -> str | None:
    """Return the only value of the kind of *meant* in a belief. The subject of the belief is ignored."""
    if version.form == "typed":
        return value_in(version.object, meant)
    statement = re.sub(re.escape(version.subject), "", version.text, flags=re.IGNORECASE)
    return value_in(statement.partition(" ")[2] if NAME.fullmatch(meant) else version.text, meant)


def in_place_of(old: Version, claim: Claim) -> Claim:
    """Return a correction as the corrected belief in its own words, with the wrong word replaced."""
    if claim.predicate == "*" and is_sentence(claim.object):
        claim = as_one_word(claim, old)
    value = (claim.wrong or value_of(old, claim.object)) if claim.predicate == "*" else None
    if old.form == "typed" and value is None:
        return claim
    wrong = re.compile(rf"(?<!\w){re.escape(claim.wrong or value or '')}(?!\w)", re.IGNORECASE)
    if value and _ISO_DATE.fullmatch(claim.object):
        wrong = _ANY_DATE  # words and object write the same day in two ways
    object_, text = (wrong.sub(lambda found: _written(claim.object, found[0]), part) for part in (old.object, old.text))
    return replace(claim, form=old.form, tense=old.tense, object=object_, text=text)


def _written(right: str, wrong: str) -> str:
    """Return *right* in the format of *wrong*: a date in figures or in words."""
    if not _ISO_DATE.fullmatch(right) or _ISO_DATE.fullmatch(wrong):
        return right
    in_words = on(date.fromisoformat(right)).removeprefix("on ")
    number, month, _ = in_words.split()
    if wrong[0].isalpha():
        return f"{month} {number}"
    return in_words if wrong[-1].isdigit() else f"{number} {month}"


def is_sentence(text: str) -> bool:
    """Return whether a correction is a whole sentence, not only a word or a number.

    >>> is_sentence("Ada was born on 5 March"), is_sentence("New York City"), is_sentence("the 5th of March")
    (True, False, False)
    """
    return _SENTENCE.fullmatch(text) is not None or len(text.split()) > _PHRASE


def as_one_word(claim: Claim, version: Version) -> Claim:
    """Return a claim that corrects a belief by a whole sentence as a correction of the one word that differs.

    The claim is returned unchanged if more than one word differs, or if too few words are the same. If the claim is
    not marked as a correction, the different word must be a number.
    """
    was, now = _words(_ISO_DATE.sub(_in_words, text_of(version))), _words(claim.object)
    aside = {*words_of(claim.subject), *(words_of(version.predicate) if version.form == "typed" else ())}
    gone = [word for stem, word in was.items() if stem not in now and stem not in aside and not _YEAR.fullmatch(word)]
    new = [word for stem, word in now.items() if stem not in was and stem not in aside]
    if len(gone) != 1 or len(new) != 1:
        return claim
    meant = claim.certainty == "explicit"
    counted, counts = (word[0].isdigit() for word in (*gone, *new))
    common = len((was.keys() & now.keys()) - aside)
    if counted != counts or not (counted or meant) or common < (1 if meant else _COMMON):
        return claim
    day = _ISO_DATE.search(version.object) if version.form == "typed" else None
    if day and gone[0] == str(int(day[0][-2:])):
        gone, new = [day[0]], [f"{day[0][:8]}{re.sub(r'[^0-9]', '', new[0]):0>2}"]
    content = version.object if version.form == "typed" else version.text.partition(" ")[2]
    return replace(claim, wrong=gone[0], object=new[0]) if gone[0] in content else claim


def _in_words(day: re.Match[str]) -> str:
    return on(date.fromisoformat(day[0])).removeprefix("on ")


def _words(text: str) -> dict[str, str]:
    return {stem: word for word in _WORD.findall(_CONTRACTED.sub("", text)) for stem in words_of(word)}
