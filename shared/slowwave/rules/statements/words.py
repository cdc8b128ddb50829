"""The words of a sentence with their positions, and closed lists of English words by function."""

import re
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from slowwave.core.predicates import english

# To ignore case doubles the time, so only the one word that needs it ignores case.
_WORD = re.compile(r"([^\W_]+(?:['&.+/:-][^\W_]+)*'?|'[cC][aA][uU][sS\u017f][eE]\b|[^\s\w]|_)")
_MARKED = {
    f"{verb}nt": f"{verb}n't"
    for verb in ("do", "does", "did", "ca", "wo", "is", "are", "was", "were", "have", "has", "had", "could", "would")
}
"""Negations that are written without an apostrophe."""
these = english.these
OPENERS = these(
    """yeah yes yep yup yea no nope nah wow oh ah aw aww awww hey hi hello hiya thanks thank-you well so and but
    also plus btw actually honestly sure definitely absolutely totally exactly agreed true haha hahaha lol ok
    okay anyway anyways hmm um uh right great cool nice awesome amazing yay ooh whoa congrats congratulations
    man dude gosh please sorry basically seriously luckily fortunately unfortunately sadly lately recently
    personally besides brilliant still then now yesss plus ugh phew glad-to-hear welcome cheers indeed certainly
    obviously"""
)
"""Opening words without meaning of their own."""
FILLERS = these(
    """really just so very super actually totally pretty literally definitely basically honestly absolutely truly
    such quite kinda simply certainly seriously incredibly extremely"""
)
ADVERBS = FILLERS | these(
    """also always never often usually sometimes recently still already finally now currently only even once ever
    soon rarely generally mostly mainly long first later then not almost nearly probably maybe perhaps
    occasionally regularly constantly frequently eventually lately initially accidentally especially
    originally personally genuinely too"""
)
FIRST = these("i i'm i've i'd i'll im ive we we're we've we'd we'll")
OF_FIRST = these("me my mine myself us our ours ourselves")
SECOND = these("you your yours yourself you're you've you'd you'll ya u ur yourselves")
UNRESOLVED = these(
    """it it's its it'd it'll itself he he's he'd him his she she's she'd her hers they they're they've they'd
    they'll their them theirs that that's this these those there there's here here's thats hes shes theyre theres"""
)
COORDINATE = these("and but so or yet plus then cause cuz coz 'cause")
BECAUSE = these("cause cuz coz 'cause")
"""Spellings of *because*."""
SUBORDINATE = these(
    """because since when while after before although though where until whenever as if unless whereas"""
)
PREPOSITIONS = these(
    """of to in on at for with from by about into through during over under between against without around near
    behind than as toward towards onto upon off out up down"""
)
DETERMINERS = these(
    """a an the my our this that these those some any many more much every each both all few several no"""
)
PARTICLES = these("up out off on in back down over away around along together through")
"""Particles that may belong to a verb: *sign up*, *hang out*."""
DANGLING = (
    COORDINATE
    | SUBORDINATE
    | these(
        '''the a an of to with for from in at on by my our their to's which who that is are was were be being been
    and/or like about into very so too also especially even just - – — , ; : ( & / ' "'''
    )
)
AUXILIARY = these(
    """am is are was were be been being have has had do does did don't doesn't didn't haven't hasn't hadn't
    wasn't weren't isn't aren't can could will would should may might must can't couldn't won't wouldn't
    shouldn't 's 're 've 'll 'd 'm gonna"""
)
GRAMMAR = (
    ADVERBS | AUXILIARY | COORDINATE | DETERMINERS | FIRST | OF_FIRST | PREPOSITIONS | SECOND | SUBORDINATE | UNRESOLVED
)
QUESTION = these("""what where who whom whose why which how what's where's who's how's when's whats hows""")
INVERTED = these(
    """do does did is are was were have has had can could will would should shall may am don't didn't isn't
    aren't doesn't wasn't haven't hasn't can't couldn't won't wouldn't shouldn't"""
)
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


def _lists() -> dict[str, frozenset[str]]:
    text = Path(__file__).with_name("words.txt").read_text(encoding="utf-8")
    parts = re.split(r"^\[(.+)\]$", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)
    return dict(zip(parts[1::2], map(these, parts[2::2]), strict=True))


LISTS = _lists()
"""The words of `words.txt`, by the name of their list."""
_word = partial(tuple.__new__, Word)  # the constructor of a named tuple takes twice as long
