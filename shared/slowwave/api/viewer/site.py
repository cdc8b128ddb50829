"""The frame of every page: templates, security headers, and errors shown as pages."""

import hashlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.routing import APIRoute
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from slowwave.api.problems import STATUS
from slowwave.api.viewer import formatting
from slowwave.api.viewer.access_control import COOKIE, ViewerAccess, Visitor
from slowwave.domain.explanation import Explanation
from slowwave.errors import Forbidden, Incorrect, SlowwaveError, Unauthorized, Unavailable
from slowwave.memory import Memory, MemoryScope
from slowwave.runtime import clock

PREFIX = "/viewer"
LONGEST_FORM_BYTES = 64 * 1024
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""The security headers. A page loads resources only from its own server, and must not be framed or cached."""
NAV = (
    ("", "Night", ("night_report",), ()),
    ("/people", "People", ("people", "person", "graph", "strengths", "fact", "entry"), ("recall", "operate")),
    ("/search", "Search", ("search",), ("recall",)),
    ("/review", "Review", ("review",), ("review", "recall")),
    ("/undo", "Undo", ("undo",), ("review",)),
    ("/forget", "Forget", ("forget",), ("operate",)),
    ("/tiers", "Tiers", ("tiers",), ("operate",)),
    ("/canaries", "Canaries", ("canaries",), ("operate",)),
    ("/runs", "Runs", ("runs", "run"), ("operate",)),
    ("/model-calls", "Model calls", ("model_calls",), ("operate",)),
    ("/dead-letters", "Dead letters", ("dead_letters",), ("operate",)),
    ("/operations", "Operations", ("operations",), ("operate",)),
)
"""The pages of the menu: path, name, templates of the page, and verbs. A key needs one of these verbs."""
_TITLES = {
    401: "Log in first", 403: "This is not allowed", 404: "There is nothing here", 409: "Another change came first",
    422: "The request is invalid", 429: "Too many requests", 500: "The server failed",
    503: "Temporarily unavailable",
}  # fmt: skip


def base(request: Request) -> str:
    """Return the base path of the pages."""
    return f"{request.scope.get('root_path', '')}{PREFIX}"


class Site:
    """The shared context of the pages: the *memory* that the pages show, and the access control (*door*)."""

    def __init__(self, memory: Memory, door: ViewerAccess) -> None:
        self.memory = memory
        self.door = door
        self._templates = Environment(
            loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True, undefined=StrictUndefined,
            trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip
        self._templates.filters.update(formatting.FILTERS)
        sheet = (Path(__file__).parent / "static" / "viewer.css").read_bytes()
        self._looks = hashlib.sha256(sheet).hexdigest()[:12]

    def scope(self, visitor: Visitor, user: str, agent: str | None, channel: str | None) -> MemoryScope:
        """Return the memory of *user*, by default of all agents and channels."""
        return self.memory.scope(user, agent=agent or None, channel=channel or None, tenant=visitor.tenant)

    def explained(self, visitor: Visitor, fact: str) -> tuple[MemoryScope, Explanation]:
        """Return the memory that a fact belongs to, and the explanation of the fact."""
        why = self.memory.why(fact, tenant=visitor.tenant)
        assert why.scope
        return self.scope(visitor, why.scope.user, why.scope.agent, why.scope.channel), why

    def visitor(self, request: Request, *verbs: str) -> Visitor:
        """Return the visitor.

        Raises `Unauthorized` if a required key is missing, and `Forbidden` if the key allows none of *verbs*.
        """
        visitor = self.door.visitor(request)
        if verbs and not visitor.may(*verbs):
            raise Forbidden(f"this key does not allow {' or '.join(verbs)}", hint="log in with another")
        return visitor

    def operates_all_tenants(self, visitor: Visitor) -> bool:
        """Return whether the visitor's tenant is that of the installation, so that `operate` covers all tenants."""
        return visitor.tenant == self.memory.operator().tenant

    def require_all_tenants(self, visitor: Visitor) -> None:
        """Raise `Forbidden` for a visitor whose key is of another tenant than the installation."""
        if not self.operates_all_tenants(visitor):
            raise Forbidden("this covers all tenants", hint="use a key of the tenant that SLOWWAVE_TENANT names")

    def form(self, request: Request, visitor: Visitor | None) -> Mapping[str, str]:
        """Return the fields of a form. Raises `Forbidden` if the form was not sent from a page of the viewer."""
        form: Mapping[str, str] = request.state.form
        self.door.require_own_form(request, form.get("token", ""), visitor)
        return form

    def page(
        self, request: Request, name: str, visitor: Visitor | None, status: int = 200, **context: Any
    ) -> HTMLResponse:
        """Return the page of the template *name* for *visitor*."""
        body = self._templates.get_template(name).render(
            {
                "to": partial(_address, base(request)),
                "visitor": visitor,
                "now": clock.now(),
                "here": name.removesuffix(".html"),
                "nav": NAV,
                "looks": self._looks,
                **context,
            }
        )
        response = HTMLResponse(body, status, headers=HEADERS)
        if visitor is not None and visitor.fresh:
            self.set_cookie(request, response, visitor.cookie)
        return response

    def set_cookie(self, request: Request, response: Response, cookie: str) -> None:
        """Set the browser's *cookie*, which scripts and other sites cannot read."""
        response.set_cookie(
            COOKIE, cookie, path=base(request), httponly=True, samesite="strict",
            secure=request.url.scheme == "https",
        )  # fmt: skip

    def go(self, request: Request, path: str, **asked: Any) -> RedirectResponse:
        """Return a redirect to another page."""
        to = _address(base(request), path, **asked)
        return RedirectResponse(to, status_code=303, headers={"Cache-Control": "no-store"})

    def route(self) -> type[APIRoute]:
        """Return the class for the viewer's routes."""
        site = self

        class PageRoute(APIRoute):
            """A route that reads forms, and answers an error with a page."""

            def get_route_handler(self) -> Callable[[Request], Any]:
                answer = super().get_route_handler()

                async def handle(request: Request) -> Response:
                    try:
                        if request.method == "POST":
                            request.state.form = await _read(request)
                        return await answer(request)
                    except Unauthorized:
                        return site.go(request, "/enter", next=_form_place(request))
                    except (SlowwaveError, RequestValidationError) as error:
                        return site._problem(request, error)

                return handle

        return PageRoute

    def _problem(self, request: Request, error: SlowwaveError | RequestValidationError) -> Response:
        if isinstance(error, RequestValidationError):
            status, message, hint = 422, "the address of this page is incomplete", None
            problems = [f"{each['loc'][-1]}: {each['msg']}" for each in error.errors()]
        else:
            status = next((code for kind, code, _ in STATUS if isinstance(error, kind)), 500)
            problems = list(getattr(error, "problems", ()))
            message, hint = error.message.splitlines()[0], error.hint
        try:
            visitor = self.door.visitor(request)
        except SlowwaveError:
            visitor = None
        response = self.page(
            request, "problem.html", visitor, status, title=_TITLES[status], message=message, hint=hint,
            problems=problems,
        )  # fmt: skip
        if isinstance(error, Unavailable):
            response.headers["Retry-After"] = str(max(1, round(error.retry_after_seconds)))
        return response


async def _read(request: Request) -> Mapping[str, str]:
    """Return the fields of a form. Raises `Incorrect` if the body is too long or is not a form."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ("application/x-www-form-urlencoded", ""):
        raise Incorrect("the body is not a form", hint="send the form from its page")
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_FORM_BYTES:
            raise Incorrect("the form is too long", hint=f"at most {LONGEST_FORM_BYTES // 1024} KiB")
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


def _form_place(request: Request) -> str | None:
    """Return the path of the requested page, for the redirect after login; None if the request is not for a page."""
    root, path = base(request), request.url.path
    if request.method != "GET" or not path.startswith(root):
        return None
    return path[len(root) :] + (f"?{request.url.query}" if request.url.query else "")


def _address(root: str, path: str, **asked: Any) -> str:
    given = {key: str(value) for key, value in asked.items() if value not in (None, "")}
    return f"{root}{path}" + (f"?{urlencode(given)}" if given else "")
