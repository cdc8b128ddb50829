"""Errors as problems of RFC 9457: a status for each category, with its hint, and when to come again."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field

from slowwave.domain.metadata import at
from slowwave.errors import (
    Conflict,
    Crowded,
    Fault,
    Forbidden,
    Incorrect,
    NotFound,
    SlowwaveError,
    Unauthorised,
    Unavailable,
    Unprepared,
)
from slowwave.problems import clipped_place, sentence

MEDIA_TYPE = "application/problem+json"
UNPREPARED_SECONDS = 30.0
"""As soon as that an operator may have mended an installation."""
STATUS: Sequence[tuple[type[SlowwaveError], int, str]] = (
    (Unauthorised, 401, "Unauthorised"),
    (Forbidden, 403, "Forbidden"),
    (Unprepared, 503, "Unavailable"),
    (Incorrect, 422, "Incorrect"),
    (Conflict, 409, "Conflict"),
    (NotFound, 404, "NotFound"),
    (Crowded, 429, "Crowded"),
    (Unavailable, 503, "Unavailable"),
    (Fault, 500, "Fault"),
)
"""The status of each category of errors, and its name; the first that fits."""
TITLES = {400: "Incorrect", 404: "NotFound", 405: "Incorrect", 413: "Incorrect", 415: "Incorrect"}
"""The category of what the server itself refuses, by status."""


class Problem(BaseModel):
    """A problem: what went wrong, who must act, and what to do about it."""

    model_config = ConfigDict(json_schema_extra={"additionalProperties": False})

    type: str = Field(description="`urn:slowwave:` and the category in small letters")
    title: str = Field(description="the category, which says who must act")
    status: int
    detail: str = Field(description="what happened, in a sentence")
    hint: str | None = Field(None, description="what to do about it")
    problems: list[str] = Field(default_factory=list, description="everything that is wrong with what was sent")
    retry_after_seconds: float | None = Field(None, description="when to ask again, where that may help")


MEANINGS = {
    400: "What was sent is not JSON.",
    401: "There is no key, or it opens nothing here.",
    403: "The key is not for this verb.",
    404: "There is no such thing in what the caller may see.",
    409: "Someone was first, or holds something else under the same name.",
    413: "What was sent is too long.",
    415: "What was sent is not of the type that is taken here.",
    422: "What was sent is wrong; every problem is named.",
    429: "The key's bucket for this verb is empty: wait as long as Retry-After says.",
    500: "A promise of ours does not hold: please report it.",
    503: "Something we need is away: ask again as Retry-After says. Nothing that was acknowledged is lost.",
}


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return what an operation that may end with these *statuses* says of them in the OpenAPI document."""
    body = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    waits = {"Retry-After": {"schema": {"type": "integer"}, "description": "seconds"}}
    return {
        status: {
            "description": MEANINGS[status], "content": body, **({"headers": waits} if status in (429, 503) else {})
        }
        for status in statuses
    }  # fmt: skip


def problem_of(error: SlowwaveError) -> Problem:
    """Return the problem that an error of ours is."""
    status, title = next(((code, name) for kind, code, name in STATUS if isinstance(error, kind)), (500, "Fault"))
    problems = list(error.problems) if isinstance(error, Incorrect) else []
    detail = error.message.partition("\n  - ")[0].rstrip(":") if problems else error.message
    again = error.retry_after_seconds if isinstance(error, Unavailable) else None
    if isinstance(error, Unprepared):
        again = UNPREPARED_SECONDS
    return _made(status, title, detail, hint=error.hint, problems=problems, again=again)


def answer(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """Return the response that tells *problem*."""
    told = dict(headers or {})
    if problem.retry_after_seconds is not None:
        told["Retry-After"] = str(max(1, math.ceil(problem.retry_after_seconds)))
    if problem.status == 401:
        told["WWW-Authenticate"] = "Bearer"
    body = problem.model_dump_json(exclude_none=True)
    return Response(body, problem.status, headers=told, media_type=MEDIA_TYPE)


def install(app: FastAPI) -> None:
    """Have every error of *app* answered as a problem."""
    app.add_exception_handler(SlowwaveError, _ours)
    app.add_exception_handler(RequestValidationError, _unreadable)
    for status in TITLES:
        app.add_exception_handler(status, _refused)
    app.add_exception_handler(Exception, _broken)


def _made(
    status: int, title: str, detail: str, *, hint: str | None = None, problems: Sequence[str] = (),
    again: float | None = None,
) -> Problem:  # fmt: skip
    return Problem(
        type=f"urn:slowwave:{title.lower()}", title=title, status=status, detail=detail, hint=hint,
        problems=list(problems), retry_after_seconds=again,
    )  # fmt: skip


def _ours(_request: Request, error: Exception) -> Response:
    assert isinstance(error, SlowwaveError)
    return answer(problem_of(error))


def _unreadable(_request: Request, error: Exception) -> Response:
    """Answer what FastAPI could not read: every problem, with the place it stands in."""
    assert isinstance(error, RequestValidationError)
    found = list(error.errors())
    if any(one["type"] == "json_invalid" for one in found):
        return answer(_made(400, "Incorrect", "the body is not JSON", hint="send application/json in UTF-8"))
    if any(isinstance(one.get("input"), bytes) and len(one["loc"]) == 1 for one in found):
        return answer(_made(415, "Incorrect", "the body is not of the type application/json", hint="say its type"))
    lines = [
        f"{at(clipped_place(_place(one['loc'])))}{message}"
        for one in found[:MOST_PROBLEMS]
        for message in sentence(one).splitlines()
    ]
    detail = f"the request has {len(found)} problem{'' if len(found) == 1 else 's'}"
    return answer(_made(422, "Incorrect", detail, problems=lines, hint="/docs says what each request takes"))


MOST_PROBLEMS = 50


def _place(where: Sequence[int | str]) -> str:
    """Return the place of a problem, as a caller knows it: without `body`, and with words that JSON can carry."""
    return ".".join(str(part) for part in (where[1:] if len(where) > 1 else where))


def _refused(_request: Request, error: Exception) -> Response:
    """Answer what the server itself refuses, with an exception of its own that has a status."""
    status, detail, headers = (getattr(error, name) for name in ("status_code", "detail", "headers"))
    return answer(_made(status, TITLES[status], str(detail)), headers)


def _broken(_request: Request, error: Exception) -> Response:
    """Answer an error that nobody foresaw; what it says stays in the log, for it may hold somebody's words."""
    made = _made(500, "Fault", f"this broke ({type(error).__name__})", hint="please report it, with the server's log")
    return answer(made)
