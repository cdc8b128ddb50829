"""The first page: a summary of the last night, and the trend of earlier nights."""

from datetime import timedelta

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer import charts
from slowwave.api.viewer.site import PREFIX, Site
from slowwave.domain.job_table import PREPARE

SHOWN = 12
"""The most decisions of the last day on the page; the pages of its runs show all."""
WIDTH, HEIGHT = 700.0, 90.0
_FIRST = ("update", "delete", "add")
"""Changes come first: they matter most to people."""


def add(router: APIRouter, site: Site) -> None:
    """Add the page to *router*."""

    @router.get(PREFIX)
    def night(request: Request) -> Response:
        """Show what was received, learned and changed, the pending work, and the trend of fourteen nights."""
        visitor = site.visitor(request)
        operator = site.memory.operator(tenant=visitor.tenant)
        report = operator.night()
        deltas = []
        if visitor.may("recall"):
            since = report.seen - timedelta(days=1)
            deltas = site.memory.deltas(since=since, limit=200, tenant=visitor.tenant)
        told = sorted(
            (one for one in deltas if one.delta.kind != "noop"), key=lambda one: _FIRST.index(one.delta.kind)
        )  # fmt: skip
        lines = [
            ("came in", [one.total("episodes", PREPARE) for one in report.trend]),
            ("learned", [one.total("add") for one in report.trend]),
            ("changed or ended", [one.total("update") + one.total("delete") for one in report.trend]),
        ]
        return site.page(
            request, "night_report.html", visitor, overview=operator.overview(), night=report, told=told[:SHOWN],
            more=len(told) - SHOWN, width=WIDTH, height=HEIGHT,
            charts=[(name, values, charts.bars(values, width=WIDTH, height=HEIGHT)) for name, values in lines],
        )  # fmt: skip
