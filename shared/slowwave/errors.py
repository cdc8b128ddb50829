"""Every error Slowwave raises, in five categories that say who must act.

* `Incorrect`: asking again will not help; the asker must change something.
* `Conflict`: someone was first; read and decide again.
* `Unavailable`: something we need is away; try later.
* `NotFound`: there is no such thing, or it is not yours to see.
* `Fault`: a promise of ours does not hold; please report it.
"""

import traceback
from collections.abc import Sequence

from slowwave.words import counted


class SlowwaveError(Exception):
    """The base of every error: a sentence that says what went wrong, and a *hint* that says what to do about it."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  hint: {self.hint}" if self.hint else self.message


class Incorrect(SlowwaveError):
    """The input is wrong; *problems* lists everything that is wrong with it."""

    def __init__(self, message: str, *, problems: Sequence[str] = (), hint: str | None = None) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join([message, *(f"  - {problem}" for problem in self.problems)]), hint=hint)

    @classmethod
    def listing(cls, subject: str, problems: Sequence[str], *, more: int = 0, hint: str | None = None) -> "Incorrect":
        """Return the error that names *subject* and lists all of its problems at once; *more* are counted alone."""
        total = len(problems) + more
        listed = [*problems, f"and {more} more"] if more else problems
        return cls(f"{subject} has {counted(total, 'problems')}:", problems=listed, hint=hint)


class Unreadable(Incorrect):
    """A model's reply is no answer; the message is what the model is told when it is asked once more."""


class Refused(Incorrect):
    """A provider refused a request as it is; where it is *too_long*, half of it may pass."""

    def __init__(self, message: str, *, too_long: bool = False, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.too_long = too_long


class Unprepared(Incorrect):
    """The installation is not ready: an operator must act, and no input is to blame."""


class Unauthorised(Incorrect):
    """Nobody knows who asks: there is no key, or it is none of ours, or was revoked (401)."""


class Forbidden(Incorrect):
    """Whoever asks may not ask for this (403)."""


class Conflict(SlowwaveError):
    """Someone was first, or holds something else under the same name."""


class FactConflictError(Conflict):
    """A delta that cannot be applied: what it replaces is missing, elsewhere, already replaced or ambiguous."""


class Fenced(Conflict):
    """Somebody else holds the scope now: nothing of this run may be written."""


class Unavailable(SlowwaveError):
    """Something we need is away for now; ask again after *retry_after_seconds*."""

    def __init__(self, message: str, *, retry_after_seconds: float = 1.0, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_seconds = retry_after_seconds


class NotFound(SlowwaveError):
    """There is no such thing in what the asker may see."""


class Crowded(Unavailable):
    """Somebody asks too much of what we need at once (429): nobody's request is to blame."""


class Fault(SlowwaveError):
    """A promise of Slowwave does not hold. Report it."""


def broke(error: BaseException) -> str:
    """Return the kind of an *error* nobody foresaw and the file and line it came from, never its words: they may be a
    user's.
    """
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return f"{type(error).__name__} at an unknown line"
    file = frames[-1].filename.replace("\\", "/").rpartition("/")[2]
    return f"{type(error).__name__} at {file}:{frames[-1].lineno}"
