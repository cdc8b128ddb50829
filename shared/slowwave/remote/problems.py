"""Errors of a server, read from `application/problem+json` and raised as errors of the library."""

import json
from collections.abc import Mapping
from email.message import Message
from typing import Any

from slowwave.errors import (
    Conflict,
    Crowded,
    Fault,
    Forbidden,
    Incorrect,
    NotFound,
    SlowwaveError,
    Unauthorized,
    Unavailable,
)

CATEGORIES: Mapping[str, type[SlowwaveError]] = {
    kind.__name__: kind
    for kind in (Incorrect, Unauthorized, Forbidden, Conflict, NotFound, Crowded, Unavailable, Fault)
}
BY_STATUS = {401: "Unauthorized", 403: "Forbidden", 404: "NotFound", 409: "Conflict", 429: "Crowded"}


class TooLong(Incorrect):
    """An error: a request exceeds the server's size limit (413)."""


def error_of(status: int, headers: Message, body: bytes) -> SlowwaveError:
    """Return the error in a response. If a proxy sent no problem document, return the error for *status*."""
    try:
        problem = json.loads(body)
    except ValueError:
        problem = None
    if not isinstance(problem, dict) or not isinstance(problem.get("detail"), str):
        problem = {"detail": f"the server answers {status}"}
        if status >= 500:
            problem["title"] = "Unavailable" if status in (502, 503, 504) else "Fault"
    error = error_from_problem(problem, status=status, otherwise=BY_STATUS.get(status, "Incorrect"))
    if isinstance(error, Unavailable):
        error.retry_after_seconds = _seconds(problem.get("retry_after_seconds"), headers.get("Retry-After"))
        error.begun = not isinstance(error, Crowded)  # type: ignore[attr-defined]  # a full bucket lets nobody begin
    return error


def error_from_problem(problem: Mapping[str, Any], *, status: int = 0, otherwise: str = "Incorrect") -> SlowwaveError:
    """Return the error that *problem* describes, with its hint and all problems of the request."""
    kind = CATEGORIES.get(str(problem.get("title")), CATEGORIES[otherwise])
    detail, hint = str(problem["detail"]), problem.get("hint")
    if issubclass(kind, Incorrect):
        problems = [str(one) for one in problem.get("problems") or ()]
        made = TooLong if status == 413 else kind
        return made(f"{detail}:" if problems else detail, problems=problems, hint=hint)
    return kind(detail, hint=hint)


def _seconds(*values: object) -> float:
    """Return the first of *values* that is a number of seconds.

    If there is none, return 1, because a proxy may send a date.
    """
    for one in values:
        try:
            return max(0.0, float(str(one)))
        except ValueError:
            continue
    return 1.0
