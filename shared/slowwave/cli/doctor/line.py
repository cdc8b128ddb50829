"""One line of the doctor: the result of a check."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from slowwave.errors import SlowwaveError, Unavailable


@dataclass(frozen=True, slots=True)
class Line:
    """The result of one check: the *finding*, whether the finding is *good*, and the *remedy*.

    *about* explains the subject.
    """

    subject: str
    finding: str
    good: bool = True
    remedy: str = ""
    about: str = ""


@contextlib.contextmanager
def looking_at(subject: str, lines: list[Line], *, unavailable: str | None = None) -> Iterator[None]:
    """Turn a Slowwave error in the block into a line, so that one problem does not hide other problems.

    *unavailable* is the remedy for `Unavailable`, in place of the hint of the error.
    """
    try:
        yield
    except SlowwaveError as error:
        hint = unavailable if unavailable and isinstance(error, Unavailable) else error.hint
        lines.append(Line(subject, error.message, good=False, remedy=hint or ""))
