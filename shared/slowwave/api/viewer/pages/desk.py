"""The desk: what waits for models, what the day may cost, and whose breaker is open."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer.site import PREFIX, Site


def add(router: APIRouter, site: Site) -> None:
    """Add the page to *router*."""

    @router.get(f"{PREFIX}/desk")
    def desk(request: Request) -> Response:
        """Show requests, budgets and breakers, and the work that is asked for and not begun."""
        visitor = site.visitor(request, "operate")
        overview = site.memory.operator(tenant=visitor.tenant).overview()
        return site.page(request, "desk.html", visitor, overview=overview, desk=overview.desk)
