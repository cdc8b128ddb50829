"""Login and logout of the viewer: an API key starts a session."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer.access_control import COOKIE
from slowwave.api.viewer.site import PREFIX, Site, base
from slowwave.errors import SlowwaveError, Unauthorised, Unavailable


def add(router: APIRouter, site: Site) -> None:
    """Add login and logout to *router*."""

    @router.get(f"{PREFIX}/enter")
    def enter(request: Request, next: str = "") -> Response:
        """Ask for a key; redirect visitors who need none or are logged in."""
        try:
            site.visitor(request)
        except Unauthorised:
            return site.page(request, "login.html", None, next=next, wrong=None)
        return site.go(request, _local_target(next))

    @router.post(f"{PREFIX}/enter")
    def entered(request: Request) -> Response:
        """Start a session with the given key."""
        form = site.form(request, None)
        next = form.get("next", "")
        if not site.door.keyed:
            return site.go(request, _local_target(next))
        try:
            cookie = site.door.enter(form.get("key", "").strip())
        except Unavailable:
            raise
        except SlowwaveError as error:
            return site.page(request, "login.html", None, 401, next=next, wrong=error)
        response = site.go(request, _local_target(next))
        site.remember(request, response, cookie)
        return response

    @router.post(f"{PREFIX}/leave")
    def leave(request: Request) -> Response:
        """End the session."""
        site.form(request, site.visitor(request))
        site.door.leave(request.cookies.get(COOKIE, ""))
        response = site.go(request, "/enter")
        response.delete_cookie(COOKIE, path=base(request), httponly=True, samesite="strict")
        return response


def _local_target(place: str) -> str:
    """Return *place* if it is a path of the viewer, else the viewer's first page."""
    return place if place.startswith("/") and not place.startswith(("//", "/\\", "/enter")) else ""
