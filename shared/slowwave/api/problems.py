"""Errors as problems of RFC 9457, with a status per category, a hint, and the time to wait before a retry."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field

from slowwave.domain.limits import at
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
    Unprepared,
)
from slowwave.validation_messages import clipped_place, sentence

MEDIA_TYPE = "application/problem+json"
UNPREPARED_SECONDS = 30.0
"""The seconds in Retry-After while an operator has to prepare or repair the installation."""
STATUS: Sequence[tuple[type[SlowwaveError], int, str]] = (
    (Unauthorized, 401, "Unauthorized"),
    (Forbidden, 403, "Forbidden"),
    (Unprepared, 503, "Unavailable"),
    (Incorrect, 422, "Incorrect"),
    (Conflict, 409, "Conflict"),
    (NotFound, 404, "NotFound"),
    (Crowded, 429, "Crowded"),
    (Unavailable, 503, "Unavailable"),
    (Fault, 500, "Fault"),
)
"""The status and name of each category of errors. The first category that matches an error applies."""
TITLES = {400: "Incorrect", 404: "NotFound", 405: "Incorrect", 413: "Incorrect", 415: "Incorrect"}
"""The category of errors raised by the web server itself, by status."""
MEANINGS = {
    400: "The body is not JSON.",
    401: "The key is missing, unknown or revoked.",
    403: "The key does not allow this verb.",
    404: "The requested thing does not exist, or the caller may not see it.",
    409: "Another change came first, or the name is already used for something else.",
    413: "The body is too long.",
    415: "The body has an unsupported media type.",
    422: "The request is invalid; every problem is listed.",
    429: "The key's rate limit for this verb, or a quota of the tenant, is used up: retry after Retry-After.",
    500: "A fault of the server: please report it.",
    503: "A required service is unavailable: retry after Retry-After. No acknowledged data is lost.",
}
MOST_PROBLEMS = 50


class Problem(BaseModel):
    """A problem: a description, the party that must act, and a hint."""

    model_config = ConfigDict(json_schema_extra={"additionalProperties": False})

    type: str = Field(description="`urn:slowwave:` and the category in lower case")
    title: str = Field(description="the category, which says who must act")
    status: int
    detail: str = Field(description="what happened, in a sentence")
    hint: str | None = Field(None, description="what to do about it")
    problems: list[str] = Field(default_factory=list, description="every problem of the request")
    retry_after_seconds: float | None = Field(None, description="when to retry, if that may help")


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI documentation of an operation that may end with these *statuses*."""
    body = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    waits = {"Retry-After": {"schema": {"type": "integer"}, "description": "seconds"}}
    return {
        status: {
            "description": MEANINGS[status], "content": body, **({"headers": waits} if status in (429, 503) else {})
        }
        for status in statuses
    }  # fmt: skip


LISTED = documented(401, 403, 422, 429, 500, 503)
FOUND = {**LISTED, **documented(404)}
ASKED = {**LISTED, **documented(400, 413, 415)}
CHANGED = {**ASKED, **documented(404, 409)}
"""The documentation of operations that list, find one thing, have a body, or change one thing."""


def problem_of(error: SlowwaveError) -> Problem:
    """Return one of our errors as a problem."""
    status, title = next(((code, name) for kind, code, name in STATUS if isinstance(error, kind)), (500, "Fault"))
    problems = list(error.problems) if isinstance(error, Incorrect) else []
    detail = error.message.partition("\n  - ")[0].rstrip(":") if problems else error.message
    again = error.retry_after_seconds if isinstance(error, Unavailable) else None
    if isinstance(error, Unprepared):
        again = UNPREPARED_SECONDS
    return _made(status, title, detail, hint=error.hint, problems=problems, again=again)


def answer(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """Return the HTTP response for *problem*."""
    all_headers = dict(headers or {})
    if problem.retry_after_seconds is not None:
        all_headers["Retry-After"] = str(max(1, math.ceil(problem.retry_after_seconds)))
    if problem.status == 401:
        all_headers["WWW-Authenticate"] = "Bearer"
    body = problem.model_dump_json(exclude_none=True)
    return Response(body, problem.status, headers=all_headers, media_type=MEDIA_TYPE)


def install(app: FastAPI) -> None:
    """Make *app* answer every error with a problem."""
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
    """Return the response to a request that FastAPI could not parse. It lists each problem with its field."""
    assert isinstance(error, RequestValidationError)
    found = list(error.errors())
    if any(one["type"] == "json_invalid" for one in found):
        return answer(_made(400, "Incorrect", "the body is not JSON", hint="send application/json in UTF-8"))
    if any(isinstance(one.get("input"), bytes) and len(one["loc"]) == 1 for one in found):
        return answer(
            _made(415, "Incorrect", "the body is not of the type application/json", hint="set its Content-Type")
        )
    lines = [
        f"{at(clipped_place('.'.join(map(str, one['loc'][1:] or one['loc']))))}{message}"
        for one in found[:MOST_PROBLEMS]
        for message in sentence(one).splitlines()
    ]
    detail = f"the request has {len(found)} problem{'' if len(found) == 1 else 's'}"
    return answer(_made(422, "Incorrect", detail, problems=lines, hint="/docs describes each request"))


def _refused(_request: Request, error: Exception) -> Response:
    """Return the response to an exception of the web server, with the status of the exception."""
    status, detail, headers = (getattr(error, name) for name in ("status_code", "detail", "headers"))
    return answer(_made(status, TITLES[status], str(detail)), headers)


def _broken(_request: Request, error: Exception) -> Response:
    """Return the response to an unexpected error.

    Only the log has the error's message, which may contain a user's words.
    """
    made = _made(
        500, "Fault", f"the server failed ({type(error).__name__})", hint="please report it, with the server's log"
    )
    return answer(made)
