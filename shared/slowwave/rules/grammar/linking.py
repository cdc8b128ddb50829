"""Sentences that go on about a statement, joined to it: `it was moving` to a concert, `it calms me` to a harp."""

from collections.abc import Iterable
from dataclasses import replace

from slowwave.core.beliefs.secrets import tells_secret
from slowwave.rules.statements.sentences import Statement
from slowwave.rules.statements.telling import content
from slowwave.rules.statements.words import words_of

MOST_WORDS = 14
"""Words that say something, of a statement with what goes on about it."""
MOST_JOINED = 10
"""Likewise, of two statements of what one person did."""
NEAR = 40
"""Characters between a statement and what goes on about it."""
REFERS = frozenset(("moved",))
"""Kinds that stand alone, but speak of something that was named before where anything was."""
GOES_ON = frozenset(("more", "judged"))
"""Kinds of pieces that are no statement by themselves."""
_DEEDS = frozenset(("i", "we", "elided"))
"""Kinds that tell what somebody did or does."""


def linked(pieces: Iterable[Statement]) -> list[Statement]:
    """Return the statements among *pieces*, each with what goes on about it; what goes on about nothing is left out."""
    found = list[Statement]()
    for one in pieces:
        join = _joined if one.kind in GOES_ON | REFERS else _both
        if found and (whole := join(found[-1], one)):
            found[-1] = whole
        elif one.kind not in GOES_ON:
            found.append(one)
    return found


def _both(last: Statement, more: Statement) -> Statement | None:
    """Return two statements of what one person did at one time as one; None where they are too long or far apart."""
    name = _name(more)
    if (
        not {last.kind, more.kind} <= _DEEDS
        or last.tense != more.tense
        or last.subject != more.subject
        or not _near(last, more)
    ):
        return None
    if not more.text.lower().startswith(f"{name.lower()} ") or _says(last, more) > MOST_JOINED:
        return None
    text = f"{last.text} and{more.text[len(name) :]}"
    return None if tells_secret(text) else replace(last, text=text, end=more.end)


def _joined(last: Statement, more: Statement) -> Statement | None:
    """Return a statement with what goes on about it; None where they belong to two people, or are too far or long."""
    if more.kind == "judged" and last.kind not in ("i", "we", "elided"):
        return None
    if last.subject != more.subject or not _near(last, more):
        return None
    if more.text in last.text or _says(last, more) > MOST_WORDS:
        return None
    text = f"{last.text}{_link(more)}"
    return None if tells_secret(text) else replace(last, text=text, end=more.end)


def _link(more: Statement) -> str:
    """A piece that goes on, as it stands behind a statement."""
    if more.kind == "judged":
        return f" and {more.text}"
    name = _name(more)
    return f", and {name}{more.text[len(name) :]}" if more.kind in REFERS else f", and {more.text}"


def _near(last: Statement, more: Statement) -> bool:
    return 0 <= more.start - last.end <= NEAR


def _says(last: Statement, more: Statement) -> int:
    return content(words_of(f"{last.text} {more.text}"))


def _name(one: Statement) -> str:
    return "the user" if one.subject == "user" else one.subject
