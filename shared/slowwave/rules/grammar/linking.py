"""Statements with what goes on about them: one that points at what was named before is told with that."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from slowwave.core.beliefs.secrets import tells_secret
from slowwave.rules.statements.persons import Person
from slowwave.rules.statements.pointing import hangs
from slowwave.rules.statements.sentences import Statement
from slowwave.rules.statements.tellers import content
from slowwave.rules.statements.words import (
    DETERMINERS,
    LEADING,
    OF_FIRST,
    PREPOSITIONS,
    SUBORDINATE,
    UNRESOLVED,
    words_of,
)

MOST_WORDS = 14
"""Words that say something, of a statement with what goes on about it."""
MOST_JOINED = 10
"""Likewise, of two statements of what one person did."""
NEAR = 60
"""Characters between a statement and what goes on about it."""
REFERS = frozenset(("moved",))
"""Kinds that stand alone, but speak of something that was named before where anything was."""
_PLAIN = DETERMINERS | LEADING | OF_FIRST | PREPOSITIONS | SUBORDINATE | UNRESOLVED
"""Words that are no name, though a sentence begins with them."""
GOES_ON = frozenset(("more", "judged"))
"""Kinds of pieces that are no statement by themselves."""
LEADS = frozenset(("lead",))
"""Kinds of pieces that only say what the next one is about."""
DEEDS = frozenset(("i", "we", "elided"))
"""Kinds that tell what somebody did or does."""


def linked(pieces: Iterable[Statement]) -> Iterator[Statement]:
    """Return the statements among *pieces*, each with what goes on about it; what goes on about nothing is left out."""
    last: Statement | None = None
    for one in pieces:
        if last and (whole := _whole(last, one)):
            last = whole
        elif one.kind not in GOES_ON:
            if last and last.kind not in LEADS:
                yield last
            last = one
    if last and last.kind not in LEADS:
        yield last


def _whole(last: Statement, more: Statement) -> Statement | None:
    """Return two pieces as one statement; None where each stands by itself, or they do not go together."""
    if last.subject != more.subject or not 0 <= more.start - last.end <= NEAR or more.kind in LEADS:
        return None
    if more.kind in GOES_ON | REFERS:
        return _joined(last, more)
    if _hangs(more.text, more):
        return _after(last, more)
    return _both(last, more) if last.tense == more.tense else None


def _both(last: Statement, more: Statement) -> Statement | None:
    """Return two statements of what one person did at one time as one; None where they are too long."""
    name = _name(more)
    low = more.text.lower()
    if not {last.kind, more.kind} <= DEEDS or not low.startswith(f"{name.lower()} ") or " and others " in more.text:
        return None
    if says(last, more) > MOST_JOINED:
        return None
    return _one(last, more, f"{last.text} and{more.text[len(name) :]}")


def _after(last: Statement, more: Statement) -> Statement | None:
    """Return a statement with the next one, which points at what it names; None where nothing there can be meant."""
    if says(last, more) > MOST_WORDS:
        return None
    text = f"{last.text}, and {with_name(more)}"
    if _hangs(text, last):
        return None
    whole = _one(last, more, text)
    if whole and last.kind in LEADS:
        return replace(whole, predicate=more.predicate, object=more.object, kind=more.kind, tense=more.tense)
    return whole


def _joined(last: Statement, more: Statement) -> Statement | None:
    """Return a statement with what goes on about it; None where they belong to two people, or are too long."""
    if more.kind == "judged" and last.kind not in DEEDS:
        return None
    if more.text in last.text or says(last, more) > MOST_WORDS:
        return None
    whole = _one(last, more, f"{last.text}{_link(more)}")
    return replace(whole, kind="other") if whole and last.kind in LEADS else whole


def _one(last: Statement, more: Statement, text: str) -> Statement | None:
    if tells_secret(text):
        return None
    return replace(last, text=text, end=more.end, period=last.period or more.period, weight=last.weight + more.weight)


def _link(more: Statement) -> str:
    """A piece that goes on, as it stands behind a statement."""
    if more.kind == "judged":
        return f" and {more.text}"
    name = _name(more)
    return f", and {name}{more.text[len(name) :]}" if more.kind in REFERS else f", and {more.text}"


def says(last: Statement, more: Statement) -> int:
    """Return how many words of two statements say something."""
    return content(words_of(f"{last.text} {more.text}"))


def with_name(more: Statement) -> str:
    """Return the text of a statement as it stands behind another: small, but for a name with which it begins."""
    first, _, rest = more.text.partition(" ")
    low = first.lower()
    plain = low in _PLAIN or low.endswith(("ing", "s"))
    return more.text if more.text.startswith(_name(more)) or not plain else f"{low} {rest}"


def hangs_alone(one: Statement) -> bool:
    """Return whether a statement points at something that it does not name."""
    return _hangs(one.text, one)


def _name(one: Statement) -> str:
    return _person(one).name


def _person(one: Statement) -> Person:
    return Person("" if one.subject == "user" else one.subject)


def _hangs(text: str, one: Statement) -> bool:
    return hangs(text, _person(one))
