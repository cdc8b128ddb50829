"""Corrections that repeat a whole sentence with another value or word: `no, I meant Ada was born on 5 March`."""

import re
from dataclasses import replace
from datetime import date

from slowwave.core.beliefs.identity import text_of
from slowwave.core.beliefs.versions import Version
from slowwave.core.contradiction.stemming import words_of
from slowwave.core.predicates.sentences import on
from slowwave.core.predicates.verb_forms import PAST_VERB
from slowwave.domain.claim import Claim

_PHRASE = 4
"""The most words of a phrase without a verb: `the red one instead`."""
_COMMON = 2
"""The fewest content words in common of a belief and a sentence that does not say that it is a correction."""
_SENTENCE = re.compile(
    rf"(?:I|we|he|she|they|it)\b.* .*\S|\S+ .*?\b(?:is|are|was|were|has|have|will|[a-z]{{2,}}s|{PAST_VERB})\b .*\S"
)
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
_WORD = re.compile(r"[^\W_](?:[\w.:-]*[^\W_])?")
_CONTRACTED = re.compile(r"['\u2019](?:m|re|s|ve|d|ll)\b")


def is_sentence(text: str) -> bool:
    """Return whether a correction says all of what is right, and not only the word or the number.

    >>> is_sentence("Ada was born on 5 March"), is_sentence("New York City"), is_sentence("the 5th of March")
    (True, False, False)
    """
    return _SENTENCE.fullmatch(text) is not None or len(text.split()) > _PHRASE


def as_one_word(claim: Claim, version: Version) -> Claim:
    """Return a correction in a whole sentence as that of the one word in which it differs from a belief.

    It is returned unchanged if it differs in another way, or has too little in common with the belief. If it does not
    say that it is meant as a correction, they must differ in a number.
    """
    was, now = _words(_ISO.sub(_in_words, text_of(version))), _words(claim.object)
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
    day = _ISO.search(version.object) if version.form == "typed" else None
    if day and gone[0] == str(int(day[0][-2:])):
        gone, new = [day[0]], [f"{day[0][:8]}{re.sub(r'[^0-9]', '', new[0]):0>2}"]
    said = version.object if version.form == "typed" else version.text.partition(" ")[2]
    return replace(claim, wrong=gone[0], object=new[0]) if gone[0] in said else claim


def _in_words(day: re.Match[str]) -> str:
    return on(date.fromisoformat(day[0])).removeprefix("on ")


def _words(text: str) -> dict[str, str]:
    """Return the content words of a text by their stems."""
    return {stem: word for word in _WORD.findall(_CONTRACTED.sub("", text)) for stem in words_of(word)}
