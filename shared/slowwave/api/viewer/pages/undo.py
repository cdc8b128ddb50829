"""The pages of undo: what would change, for a person to confirm, and what was undone so far."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer.access_control import Visitor
from slowwave.api.viewer.site import PREFIX, Site
from slowwave.domain.undo import Undone
from slowwave.errors import Incorrect

UNDOS = 20


def add(router: APIRouter, site: Site) -> None:
    """Add the page, and its confirmation, to *router*."""

    @router.get(f"{PREFIX}/undo")
    def undo(request: Request, what: str = "", fact: str = "", right: str = "", done: str = "") -> Response:
        """Show what an undo or a correction would change; without either, list the latest undos."""
        visitor = site.visitor(request, "review")
        seen = _asked(site, visitor, what=what, fact=fact, right=right, preview=True) if what or fact else None
        undos = [] if seen else site.memory.undos(UNDOS, tenant=visitor.tenant)
        return site.page(
            request, "undo.html", visitor, seen=seen, undos=undos, what=what, fact=fact, right=right, done=done
        )

    @router.post(f"{PREFIX}/undo")
    def confirm(request: Request) -> Response:
        """Undo or correct in a person's name, and show it in the list."""
        visitor = site.visitor(request, "review")
        form = site.form(request, visitor)
        by = form.get("by", "").strip()
        if not by:
            raise Incorrect.listing("the undo", ["enter your name: the deltas carry it"], hint="go back")
        what, fact, right, reason = (form.get(name, "").strip() for name in ("what", "fact", "right", "reason"))
        done = _asked(site, visitor, what=what, fact=fact, right=right, by=by, reason=reason)
        return site.go(request, "/undo", done=done.what)


def _asked(
    site: Site, visitor: Visitor, *, what: str, fact: str, right: str, preview: bool = False, **told: Any
) -> Undone:
    """Undo *what* or correct *fact*, or preview it."""
    if not fact:
        return site.memory.undo(what, tenant=visitor.tenant, preview=preview, **told)
    whose = site.memory.why(fact, tenant=visitor.tenant)
    assert whose.scope
    scope = site.memory.scope(
        whose.scope.user, agent=whose.scope.agent, channel=whose.scope.channel, tenant=visitor.tenant
    )  # fmt: skip
    return scope.correct(whose.fact, right or None, preview=preview, **told)
