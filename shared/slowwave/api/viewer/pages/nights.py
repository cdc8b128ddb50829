"""The pages about the nightly jobs: a summary of the last night, runs with their decisions, and model calls."""

from datetime import timedelta

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer import charts
from slowwave.api.viewer.site import PREFIX, Site
from slowwave.domain.job_table import PREPARE

SHOWN = 12
"""The maximum number of decisions of the last day on the page. The pages of runs show all decisions."""
WIDTH, HEIGHT = 700.0, 90.0
_FIRST = ("update", "delete", "add")
"""The order of decisions. Changes come first, because changes matter most to people."""
RUNS, DELTAS = 40, 60


def add_night_report(router: APIRouter, site: Site) -> None:
    """Add the page of the last night to *router*."""

    @router.get(PREFIX)
    def night(request: Request) -> Response:
        """Show the received episodes, learned and changed facts, the pending work, and the trend of fourteen nights."""
        visitor = site.visitor(request)
        operator = site.memory.operator(tenant=visitor.tenant)
        report = operator.night()
        deltas = []
        if visitor.may("recall"):
            since = report.seen - timedelta(days=1)
            deltas = site.memory.deltas(since=since, limit=200, tenant=visitor.tenant)
        changes = sorted(
            (one for one in deltas if one.delta.kind != "noop"), key=lambda one: _FIRST.index(one.delta.kind)
        )  # fmt: skip
        lines = [
            ("came in", [one.total("episodes", PREPARE) for one in report.trend]),
            ("learned", [one.total("add") for one in report.trend]),
            ("changed or ended", [one.total("update") + one.total("delete") for one in report.trend]),
        ]
        return site.page(
            request, "night_report.html", visitor, overview=operator.overview(), night=report, changes=changes[:SHOWN],
            more=len(changes) - SHOWN, width=WIDTH, height=HEIGHT,
            charts=[(name, values, charts.bars(values, width=WIDTH, height=HEIGHT)) for name, values in lines],
        )  # fmt: skip


def add_runs(router: APIRouter, site: Site) -> None:
    """Add the pages of runs to *router*."""

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
        """Show one run and its deltas, in the order of application."""
        visitor = site.visitor(request, "operate")
        one = site.memory.operator(tenant=visitor.tenant).run(number)
        deltas = []
        if visitor.may("recall"):
            deltas = site.memory.deltas(run=number, after=after, limit=DELTAS + 1, tenant=visitor.tenant)
        return site.page(
            request, "run.html", visitor, run=one, deltas=deltas[:DELTAS], after=after,
            next=deltas[DELTAS - 1].id if len(deltas) > DELTAS else None,
        )  # fmt: skip


def add_model_calls(router: APIRouter, site: Site) -> None:
    """Add the page of model calls to *router*."""

    @router.get(f"{PREFIX}/model-calls")
    def model_calls(request: Request) -> Response:
        """Show model requests, budgets and circuit breakers, and other pending work."""
        visitor = site.visitor(request, "operate")
        overview = site.memory.operator(tenant=visitor.tenant).overview()
        return site.page(request, "model_calls.html", visitor, overview=overview, calls=overview.model_calls)
