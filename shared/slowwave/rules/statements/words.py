"""The words of a sentence with their positions, and closed lists of English words by function."""

import re
from functools import partial
from itertools import accumulate
from typing import NamedTuple

from slowwave.core.predicates import english
from slowwave.word_lists import word_lists

# To ignore case doubles the time, so only the one word that needs it ignores case.
_WORD = re.compile(r"([^\W_]+(?:['&.+/:-][^\W_]+)*'?|'[cC][aA][uU][sS\u017f][eE]\b|[^\s\w]|_)")
_MARKED = {
    f"{verb}nt": f"{verb}n't"
    for verb in ("do", "does", "did", "ca", "wo", "is", "are", "was", "were", "have", "has", "had", "could", "would")
}
"""Negations that are written without an apostrophe."""
these = english.these
LISTS = word_lists("statements")
"""The words of `statements.txt`, by the name of their list."""
OPENERS = LISTS["openers"]
"""Opening words without meaning of their own."""
FILLERS = LISTS["fillers"]
ADVERBS = FILLERS | LISTS["other adverbs"]
FIRST = these("i i'm i've i'd i'll im ive we we're we've we'd we'll")
OF_FIRST = these("me my mine myself us our ours ourselves")
SECOND = these("you your yours yourself you're you've you'd you'll ya u ur yourselves")
UNRESOLVED = LISTS["unresolved"]
COORDINATE = these("and but so or yet plus then cause cuz coz 'cause")
BECAUSE = these("cause cuz coz 'cause")
"""Spellings of *because*."""
SUBORDINATE = LISTS["subordinate"]
PREPOSITIONS = LISTS["prepositions"]
DETERMINERS = LISTS["determiners"]
PARTICLES = these("up out off on in back down over away around along together through")
"""Particles that may belong to a verb: *sign up*, *hang out*."""
DANGLING = COORDINATE | SUBORDINATE | LISTS["dangling"]
AUXILIARY = LISTS["auxiliary"]
GRAMMAR = (
    ADVERBS | AUXILIARY | COORDINATE | DETERMINERS | FIRST | OF_FIRST | PREPOSITIONS | SECOND | SUBORDINATE | UNRESOLVED
)
QUESTION = these("""what where who whom whose why which how what's where's who's how's when's whats hows""")
INVERTED = LISTS["inverted"]
LEADING = these("last this next one yesterday today tonight tomorrow every sometimes these some back then")
"""Words that begin a phrase of time."""
SUBJECTS = FIRST | UNRESOLVED | SECOND | these("my our im ive everyone everybody people someone somebody nothing")


class Word(NamedTuple):
    """A word or punctuation mark: its text, its lower-case form, its start and end."""

    text: str
    low: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """Return the words and punctuation marks of *text*, in order."""
    parts = _WORD.split(text)  # alternately the text between words, and a word
    words, ends = parts[1::2], list(accumulate(map(len, parts)))
    low = [_MARKED.get(word, word) for word in map(str.lower, words)]
    return list(map(_word, zip(words, low, ends[:-1:2], ends[1::2], strict=True)))


_word = partial(tuple.__new__, Word)  # the constructor of a named tuple takes twice as long
