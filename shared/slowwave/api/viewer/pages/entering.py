"""Entering the viewer and leaving it: an API key for a session."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer.door import COOKIE
from slowwave.api.viewer.site import PREFIX, Site, base
from slowwave.errors import SlowwaveError, Unauthorised, Unavailable


def add(router: APIRouter, site: Site) -> None:
    """Add the way in and out to *router*."""

    @router.get(f"{PREFIX}/enter")
    def enter(request: Request, next: str = "") -> Response:
        """Ask for a key; who needs none, or is in, goes on."""
        try:
            site.visitor(request)
        except Unauthorised:
            return site.page(request, "enter.html", None, next=next, wrong=None)
        return site.go(request, _inside(next))

    @router.post(f"{PREFIX}/enter")
    def entered(request: Request) -> Response:
        """Begin a session by the key that was given."""
        told = site.form(request, None)
        next = told.get("next", "")
        if not site.door.keyed:
            return site.go(request, _inside(next))
        try:
            cookie = site.door.enter(told.get("key", "").strip())
        except Unavailable:
            raise
        except SlowwaveError as error:
            return site.page(request, "enter.html", None, 401, next=next, wrong=error)
        response = site.go(request, _inside(next))
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


def _inside(place: str) -> str:
    """Return *place* if it is one of ours: a path below the viewer's."""
    return place if place.startswith("/") and not place.startswith(("//", "/\\", "/enter")) else ""
