"""Whether news and a belief are about the same people."""

import re

from slowwave.core.beliefs.identity import ClaimOrVersion, normal, text_of
from slowwave.core.contradiction.stemming import stem, words_of
from slowwave.core.predicates import Predicates
from slowwave.core.predicates.sentences import USER

EVERY = "*"
"""The subject of news about a matter that may be anybody's, and the predicate of news named by words alone."""

_OWNED = re.compile(r"^(?:the )?[^\W\d]\w*(?: [^\W\d]\w*)?['’]s? ((?:\w+ ){1,3})", re.IGNORECASE)


def relative_in(text: str, predicates: Predicates) -> str:
    """Return the role of the person whom a sentence is about, if it names them by it: `brother` of `Ann's brother
    plays hockey`, whose subject is Ann.
    """
    owned = _OWNED.match(text)
    return next((word for word in owned[1].lower().split() if word in predicates.roles), "") if owned else ""


def about_same_people(
    subject: str, words: str, belief: ClaimOrVersion, said: frozenset[str], predicates: Predicates
) -> bool:
    """Return whether news, with that *subject* and *words*, is about the people of *belief*, whose stems are *said*.

    They have the same subject, by role or name, or the matter may be anybody's. What somebody's brother does is not
    theirs: news must name him.
    """
    owner = normal(subject)
    if owner == EVERY:
        return True
    relative = relative_in(text_of(belief), predicates) if belief.form == "statement" else ""
    named = relative_in(words, predicates)
    for role, other in ((relative, words_of(f"{subject} {words}")), (named, said)):
        if role and {stem(name) for name in predicates.roles[role]}.isdisjoint(other):
            return False
    people = set(words_of(subject))
    return owner == normal(belief.subject) or (owner != USER and bool(people) and people <= said)
