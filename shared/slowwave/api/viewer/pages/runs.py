"""The pages of runs, newest first, and of one run with its decisions."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer.site import PREFIX, Site

RUNS, DELTAS = 40, 60


def add(router: APIRouter, site: Site) -> None:
    """Add the pages to *router*."""

    @router.get(f"{PREFIX}/runs")
    def runs(request: Request, before: int | None = None) -> Response:
        """List the runs, with worker, work and outcome."""
        visitor = site.visitor(request, "operate")
        found = site.memory.operator(tenant=visitor.tenant).runs(RUNS + 1, before=before)
        return site.page(
            request, "runs.html", visitor, runs=found[:RUNS], before=before,
            next=found[RUNS - 1].run if len(found) > RUNS else None,
        )  # fmt: skip

    @router.get(f"{PREFIX}/run")
    def run(request: Request, number: int, after: str | None = None) -> Response:
        """Show one run and its deltas, in the order they were applied."""
        visitor = site.visitor(request, "operate")
        one = site.memory.operator(tenant=visitor.tenant).run(number)
        deltas = []
        if visitor.may("recall"):
            deltas = site.memory.deltas(run=number, after=after, limit=DELTAS + 1, tenant=visitor.tenant)
        return site.page(
            request, "run.html", visitor, run=one, deltas=deltas[:DELTAS], after=after,
            next=deltas[DELTAS - 1].id if len(deltas) > DELTAS else None,
        )  # fmt: skip
