"""Search in stages: an index with the way it came about, what was told around an entry, and an entry in full."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer.pages.people import looked_at
from slowwave.api.viewer.site import PREFIX, Site
from slowwave.domain.fact import Fact

PEOPLE, ANSWERS = 200, 20
AROUND = 5
"""Turns that are shown before and after one."""


def add(router: APIRouter, site: Site) -> None:
    """Add the pages to *router*."""

    @router.get(f"{PREFIX}/search")
    def search(request: Request, user: str = "", q: str = "") -> Response:
        """Show what answers a question about somebody, best first, and how it came to that."""
        visitor = site.visitor(request, "recall")
        people = site.memory.operator(tenant=visitor.tenant).people(PEOPLE)
        asked = bool(user.strip() and q.strip())
        found = looked_at(site, visitor, user, None, None).search_index(q, limit=ANSWERS, explain=True) if asked else []
        return site.page(
            request, "search.html", visitor, user=user, q=q, people=people, asked=asked, found=found,
            explained=getattr(found, "explained", None),
        )  # fmt: skip

    @router.get(f"{PREFIX}/entry")
    def entry(request: Request, user: str, id: str) -> Response:
        """Show an episode in full among what was told before and after it; of a fact, its own page says why."""
        visitor = site.visitor(request, "recall")
        scope = looked_at(site, visitor, user, None, None)
        (one,) = scope.entries([id])
        if isinstance(one, Fact):
            return site.go(request, "/fact", id=one.id)
        around = scope.timeline(one.id, before=AROUND, after=AROUND)
        return site.page(request, "entry.html", visitor, user=user, one=one, around=around)
