"""The page of model calls: pending requests, daily budgets, and circuit breakers of providers."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer.site import PREFIX, Site


def add(router: APIRouter, site: Site) -> None:
    """Add the page to *router*."""

    @router.get(f"{PREFIX}/desk")
    def desk(request: Request) -> Response:
        """Show model requests, budgets and circuit breakers, and other pending work."""
        visitor = site.visitor(request, "operate")
        overview = site.memory.operator(tenant=visitor.tenant).overview()
        return site.page(request, "model_calls.html", visitor, overview=overview, desk=overview.desk)
