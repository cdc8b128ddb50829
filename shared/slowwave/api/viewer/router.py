"""The router of the pages, with the stylesheet, htmx, and a redirect for agents."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, RedirectResponse, Response

from slowwave.api.viewer.access_control import Keys, ViewerAccess
from slowwave.api.viewer.pages import decisions, memories, nights, operations
from slowwave.api.viewer.sessions import Sessions
from slowwave.api.viewer.site import PREFIX, Site, base
from slowwave.errors import NotFound
from slowwave.memory import Memory

_STATIC = Path(__file__).parent / "static"
_KINDS = {"viewer.css": "text/css", "htmx.min.js": "text/javascript", "icon.svg": "image/svg+xml"}
_WEEK_SECONDS = 7 * 24 * 3600
_FORMER = {"ladder": "tiers", "desk": "model-calls", "letters": "dead-letters"}
"""The present paths of pages by their former paths, which redirect to the present paths."""


def viewer(
    memory: Memory, keys: Keys | None = None, *, tenant: str | None = None, sessions: Sessions | None = None
) -> APIRouter:
    """Return the router of the pages over *memory*.

    With *keys*, visitors log in with a key and see the pages that the key allows. Without *keys*, anyone who reaches
    the server under a name of this host sees all pages of *tenant*. The default of *tenant* is the memory's own tenant.
    Processes that serve the same address share *sessions*.
    """
    site = Site(memory, ViewerAccess(keys, tenant or memory.operator().tenant, sessions))
    router = APIRouter(route_class=site.route(), include_in_schema=False)
    for add in (
        decisions.add_login, nights.add_night_report, memories.add_people, memories.add_facts, decisions.add_review,
        memories.add_graph, memories.add_tiers, nights.add_runs, decisions.add_undo, decisions.add_forget,
        decisions.add_canaries, nights.add_model_calls, decisions.add_dead_letters, memories.add_search,
        operations.add_operations,
    ):  # fmt: skip
        add(router, site)
    router.add_api_route(f"{PREFIX}/static/{{name}}", _static, methods=["GET"])
    for former, present in _FORMER.items():
        router.add_api_route(f"{PREFIX}/{former}", _redirect_to(present), methods=["GET"])
    router.add_api_route("/api/v1/memory/viewer", _known, methods=["GET"])
    return router


def _static(name: str) -> FileResponse:
    """Return the stylesheet, the script or the icon. Each version has its own URL."""
    if name not in _KINDS:
        raise NotFound(f"there is no {name} here")
    age = {"Cache-Control": f"public, max-age={_WEEK_SECONDS}", "X-Content-Type-Options": "nosniff"}
    return FileResponse(_STATIC / name, media_type=_KINDS[name], headers=age)


def _redirect_to(present: str) -> Callable[[Request], Response]:
    """Return a route that redirects to the page *present*."""

    def redirect(request: Request) -> Response:
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"{base(request)}/{present}{query}", status_code=308)

    return redirect


def _known(request: Request) -> Response:
    """Redirect to the search page. Other memory systems have their viewer at the URL of this route."""
    asked = {name: value for name, value in request.query_params.items() if name in ("user", "q")}
    to = f"{base(request)}/search" + (f"?{urlencode(asked)}" if asked else "")
    return RedirectResponse(to, status_code=307)
