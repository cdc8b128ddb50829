"""Every error of Slowwave, in five categories. The category says who must act.

* `Incorrect`: retrying will not help; the caller must change something.
* `Conflict`: another change came first; read and decide again.
* `Unavailable`: a required service is unavailable; retry later.
* `NotFound`: the requested thing does not exist, or the caller may not see it.
* `Fault`: a guarantee of Slowwave is broken; please report it.
"""

import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from slowwave.formatting import counted
from slowwave.former_names import warn_of_former


class SlowwaveError(Exception):
    """The base of every error: a sentence about what went wrong, and a *hint* about what to do."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  hint: {self.hint}" if self.hint else self.message


class Incorrect(SlowwaveError):
    """The input is invalid; *problems* lists every problem of the input."""

    def __init__(self, message: str, *, problems: Sequence[str] = (), hint: str | None = None) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join([message, *(f"  - {problem}" for problem in self.problems)]), hint=hint)

    @classmethod
    def listing(cls, subject: str, problems: Sequence[str], *, more: int = 0, hint: str | None = None) -> "Incorrect":
        """Return the error that lists the *problems* of *subject*; *more* is the number of problems not listed."""
        total = len(problems) + more
        listed = [*problems, f"and {more} more"] if more else problems
        return cls(f"{subject} has {counted(total, 'problems')}:", problems=listed, hint=hint)


class Unreadable(Incorrect):
    """An error: a model's reply cannot be parsed. The next call sends the message of this error to the model."""


class Refused(Incorrect):
    """A provider refused a request. If *too_long* is True, the provider may accept half of the request."""

    def __init__(self, message: str, *, too_long: bool = False, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.too_long = too_long


class Unprepared(Incorrect):
    """An error: the installation is not ready, and an operator must act. The input is not the cause."""


class OverQuota(Incorrect):
    """A request needs more at once than a full quota allows; a smaller one can succeed."""


class Unauthorized(Incorrect):
    """The caller is unknown: the key is missing, unknown or revoked (401)."""


if TYPE_CHECKING:
    Unauthorised = Unauthorized
    """The former name of `Unauthorized`."""
else:

    def __getattr__(name: str) -> Any:
        """Return `Unauthorized` for its former name."""
        if name != "Unauthorised":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        warn_of_former(name, "Unauthorized")
        return Unauthorized


class Forbidden(Incorrect):
    """The caller is not allowed to do this (403)."""


class Conflict(SlowwaveError):
    """Another change came first, or the name is already used for another object."""


class FactConflictError(Conflict):
    """A delta cannot be applied: the belief to replace is missing, in another scope, already replaced or ambiguous."""


class Fenced(Conflict):
    """An error: another worker now has the lease of the scope, and this run must not write."""


class Unavailable(SlowwaveError):
    """A required service is unavailable; retry after *retry_after_seconds*."""

    def __init__(self, message: str, *, retry_after_seconds: float = 1.0, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_seconds = retry_after_seconds


class NotLoaded(Unavailable):
    """An error: this process has not loaded the rule pack of a run."""

    def __init__(self, pack: str, version: int | None = None) -> None:
        named = f"the rule pack {pack!r}" + ("" if version is None else f" in version {version}")
        hint = "put the pack's folder on the host of every worker, into the folder that SLOWWAVE_RULES names there"
        super().__init__(f"{named} is not loaded here", retry_after_seconds=30, hint=hint)


class Elsewhere(Unavailable):
    """The tenant is not in this cell: it moved to another one, or still arrives. *mark* has the details."""

    def __init__(self, mark: str) -> None:
        hint = "try again; a process follows the tenant to its new cell"
        super().__init__("the tenant is moving to another cell", retry_after_seconds=0.5, hint=hint)
        self.mark = mark


class NotFound(SlowwaveError):
    """An error: the requested object does not exist, or the caller may not see it."""


class Crowded(Unavailable):
    """There are too many requests (429)."""


class Fault(SlowwaveError):
    """A guarantee of Slowwave is broken. Report it."""


def broke(error: BaseException) -> str:
    """Return the type of an unexpected *error*, with file and line.

    The message is left out, because it may quote a user.
    """
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return f"{type(error).__name__} at an unknown line"
    file = frames[-1].filename.replace("\\", "/").rpartition("/")[2]
    return f"{type(error).__name__} at {file}:{frames[-1].lineno}"
