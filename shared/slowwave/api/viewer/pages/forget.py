"""The page of permanent erasure: shows what would be erased, asks a person to confirm, and lists receipts."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer.site import PREFIX, Site
from slowwave.errors import Incorrect

RECEIPTS = 20
NAMES = ("user", "session", "fact", "matching")


def add(router: APIRouter, site: Site) -> None:
    """Add the page, and its confirmation, to *router*."""

    @router.get(f"{PREFIX}/forget")
    def forget(
        request: Request, user: str = "", session: str = "", fact: str = "", matching: str = "", done: str = ""
    ) -> Response:
        """Show what an erasure would remove; without arguments, list the receipts."""
        visitor = site.visitor(request, "operate")
        asked = {"user": user, "session": session, "fact": fact, "matching": matching}
        named = {name: value for name, value in asked.items() if value}
        seen = site.memory.forget(**_told(named), preview=True, tenant=visitor.tenant) if named else None
        receipts = [] if seen else site.memory.erasures(RECEIPTS, tenant=visitor.tenant)
        return site.page(request, "forget.html", visitor, seen=seen, receipts=receipts, asked=asked, done=done)

    @router.post(f"{PREFIX}/forget")
    def confirm(request: Request) -> Response:
        """Erase exactly what the preview showed, and show the receipt in the list."""
        visitor = site.visitor(request, "operate")
        form = site.form(request, visitor)
        named = {name: form[name] for name in NAMES if form.get(name)}
        if form.get("sure") != "forget":
            raise Incorrect.listing("the erasure", ["enter `forget`: nobody can undo an erasure"], hint="go back")
        done = site.memory.forget(**_told(named), confirm=form.get("confirm"), tenant=visitor.tenant)
        return site.go(request, "/forget", done=done.id)


def _told(named: dict[str, str]) -> dict[str, Any]:
    """Return the arguments of the verb."""
    return dict(named)
