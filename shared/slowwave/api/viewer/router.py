"""The router of the pages, with what stands beside them: the stylesheet, htmx, and the address that agents know."""

from pathlib import Path
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, RedirectResponse, Response

from slowwave.api.viewer.door import Door, Keys
from slowwave.api.viewer.pages import (
    dead_letters,
    desk,
    entering,
    facts,
    graph,
    night,
    people,
    review,
    runs,
    search,
    tiers,
)
from slowwave.api.viewer.site import PREFIX, Site, base
from slowwave.errors import NotFound
from slowwave.memory import Memory

_STATIC = Path(__file__).parent / "static"
_KINDS = {"viewer.css": "text/css", "htmx.min.js": "text/javascript", "icon.svg": "image/svg+xml"}
_WEEK_SECONDS = 7 * 24 * 3600


def viewer(memory: Memory, keys: Keys | None = None, *, tenant: str | None = None) -> APIRouter:
    """Return the router of the pages over *memory*.

    With *keys* a visitor logs in with one, and sees what it may; without, whoever reaches the server by a name of this
    host sees all of *tenant*, of the memory's own where none is named.
    """
    site = Site(memory, Door(keys, tenant or memory.operator().tenant))
    router = APIRouter(route_class=site.route(), include_in_schema=False)
    for each in (entering, night, people, facts, review, graph, tiers, runs, desk, dead_letters, search):
        each.add(router, site)
    router.add_api_route(f"{PREFIX}/static/{{name}}", _static, methods=["GET"])
    router.add_api_route("/api/v1/memory/viewer", _known, methods=["GET"])
    return router


def _static(name: str) -> FileResponse:
    """Return the stylesheet, the script or the icon; a new one has another address."""
    if name not in _KINDS:
        raise NotFound(f"there is no {name} here")
    age = {"Cache-Control": f"public, max-age={_WEEK_SECONDS}", "X-Content-Type-Options": "nosniff"}
    return FileResponse(_STATIC / name, media_type=_KINDS[name], headers=age)


def _known(request: Request) -> Response:
    """Lead from the address that other memories have for a viewer to the search, whose stages are the endpoints'."""
    asked = {name: value for name, value in request.query_params.items() if name in ("user", "q")}
    to = f"{base(request)}/search" + (f"?{urlencode(asked)}" if asked else "")
    return RedirectResponse(to, status_code=307)
