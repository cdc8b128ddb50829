"""The pages of search: an index with its explanation, the episodes around an entry, and an entry in full."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer.pages.people import looked_at
from slowwave.api.viewer.site import PREFIX, Site
from slowwave.domain.fact import Fact

PEOPLE, ANSWERS = 200, 20
AROUND = 5
"""Turns shown before and after an entry."""


def add(router: APIRouter, site: Site) -> None:
    """Add the pages to *router*."""

    @router.get(f"{PREFIX}/search")
    def search(request: Request, user: str = "", q: str = "") -> Response:
        """Show the answers to a question about a user, best first, and how they were found."""
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
        """Show an episode in full with the episodes around it; a fact has its own page."""
        visitor = site.visitor(request, "recall")
        scope = looked_at(site, visitor, user, None, None)
        (one,) = scope.entries([id])
        if isinstance(one, Fact):
            return site.go(request, "/fact", id=one.id)
        around = scope.timeline(one.id, before=AROUND, after=AROUND)
        return site.page(request, "entry.html", visitor, user=user, one=one, around=around)
