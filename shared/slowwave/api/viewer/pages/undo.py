"""The page of undo and replay: shows what would change, asks a person to confirm, and lists earlier undos."""

from collections.abc import Mapping
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
    def undo(
        request: Request, what: str = "", fact: str = "", right: str = "", pack: str = "", user: str = "",
        agent: str = "", channel: str = "", done: str = "",
    ) -> Response:  # fmt: skip
        """Show what an undo, a correction or a replay would change; without arguments, list the latest undos."""
        visitor = site.visitor(request, "review")
        asked = {
            "what": what, "fact": fact, "right": right, "pack": pack, "user": user, "agent": agent, "channel": channel,
        }  # fmt: skip
        seen = _done(site, visitor, asked, preview=True) if what or fact or pack else None
        undos = [] if seen else site.memory.undos(UNDOS, tenant=visitor.tenant)
        return site.page(request, "undo.html", visitor, seen=seen, undos=undos, asked=asked, done=done)

    @router.post(f"{PREFIX}/undo")
    def confirm(request: Request) -> Response:
        """Undo, correct or replay in a person's name, and show the result in the list."""
        visitor = site.visitor(request, "review")
        form = {name: value.strip() for name, value in site.form(request, visitor).items()}
        by = form.get("by", "")
        if not by:
            raise Incorrect.listing("the undo", ["enter your name: the deltas record it"], hint="go back")
        done = _done(site, visitor, form, by=by, reason=form.get("reason", ""))
        return site.go(request, "/undo", done=f"{done.what} is {'done' if form.get('pack') else 'undone'}")


def _done(site: Site, visitor: Visitor, asked: Mapping[str, str], **told: Any) -> Undone:
    """Undo, correct or replay what a visitor *asked* for, or preview it."""
    if pack := asked.get("pack"):
        if not asked.get("user"):
            raise Incorrect.listing("the replay", ["name the user"], hint="start from the page of a run")
        whose = site.memory.scope(
            asked["user"], agent=asked.get("agent") or None, channel=asked.get("channel") or None, tenant=visitor.tenant
        )
        return whose.replay(pack, **told)
    if not asked.get("fact"):
        return site.memory.undo(asked.get("what", ""), tenant=visitor.tenant, **told)
    why = site.memory.why(asked["fact"], tenant=visitor.tenant)
    assert why.scope
    scope = site.memory.scope(
        why.scope.user, agent=why.scope.agent, channel=why.scope.channel, tenant=visitor.tenant
    )  # fmt: skip
    return scope.correct(why.fact, asked.get("right") or None, **told)
