"""Noun phrases after a dash or a colon about a statement's object: `a new hobby - an evening class in bookbinding`."""

import re
from collections.abc import Sequence

from slowwave.rules.sentence_splitting import Sentence
from slowwave.rules.statements.contentless_words import informative_words, weight
from slowwave.rules.statements.sentences import Statement, leans
from slowwave.rules.statements.third_person import Person, in_third_person, spelled
from slowwave.rules.statements.words import FIRST, SECOND, UNRESOLVED, Word, these, words_of

_PHRASE = re.compile(r"\s*(?P<what>(?:an?|another|my|our) [^.,;:!?()\"]{3,70})(?=[.,;!?(]|$)")
_NAMING = re.compile(r"\s*:\s+(?P<what>[^.,;:!?()\"]{3,70}(?:, [^.,;:!?()\"]{3,40}){0,4})[.!]*$")
"""What a colon names: `my real muses: painting and pottery`."""
_MEET = re.compile(r"[ ,-]+(?:this is|meet|called) (?P<what>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)[.!]*$")
"""The name of what somebody presents: `a new addition to the family, this is Max`."""
_VERBS = these("is was are were has had have do does did can will would it's that's")


def behind(words: Sequence[Word], sentence: Sentence) -> str:
    """Return the noun phrase after the dash or colon that ends *sentence* right after *words*; "" if there is none."""
    if not words:
        return ""
    rest = sentence.text[words[-1].end :]
    found = _NAMING.match(rest) or _MEET.match(rest)
    if found is None and sentence.after and not rest.strip(" -\u2013\u2014"):
        found = _PHRASE.match(sentence.after)
    if found is None:
        return ""
    low = {word.low for word in words_of(found["what"])}
    return (
        ""
        if low & (_VERBS | FIRST | SECOND | UNRESOLVED) or not informative_words(words_of(found["what"]))
        else found["what"]
    )


def with_what(made: Statement, what: str, person: Person, end: int) -> Statement:
    """Return a statement with the phrase *what*, which ends at *end*; the same statement if it is empty."""
    if not what:
        return made
    said = spelled(in_third_person(words_of(what), person, past=False)).replace(person.possessive, "their", 1)
    text = f"{made.text} - {said}"
    if leans(text):
        return made
    return made._replace(text=text, end=end, weight=made.weight + weight(words_of(what)))
