"""One line of the doctor: the result of a check."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from slowwave.errors import SlowwaveError


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
def looking_at(subject: str, lines: list[Line]) -> Iterator[None]:
    """Turn a Slowwave error in the block into a line, so that one problem does not hide other problems."""
    try:
        yield
    except SlowwaveError as error:
        lines.append(Line(subject, error.message, good=False, remedy=error.hint or ""))
