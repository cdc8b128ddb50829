"""The pages of tiers and strengths over time: a tenant's tiers, and how a user's memories will fade."""

from collections import Counter
from datetime import timedelta

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer import charts
from slowwave.api.viewer.pages.people import looked_at
from slowwave.api.viewer.site import PREFIX, Site
from slowwave.runtime import clock

DAYS, FACTS = 14, 40
AHEAD = (0, 7, 14, 30, 45, 60, 75, 90)
"""Days from now for which a strength is shown."""


def add(router: APIRouter, site: Site) -> None:
    """Add the pages to *router*."""

    @router.get(f"{PREFIX}/ladder")
    def tiers(request: Request) -> Response:
        """Show the number of memories on each tier, and the moves of fourteen days."""
        visitor = site.visitor(request, "operate")
        stats = site.memory.stats(tenant=visitor.tenant)
        moves = site.memory.operator(tenant=visitor.tenant).moves(DAYS)
        today = clock.now().date()
        days = [today - timedelta(days=back) for back in range(DAYS - 1, -1, -1)]
        steps = Counter(dict.fromkeys(days, 0))
        for one in moves:
            steps[one.day] += one.count
        counts = [steps[day] for day in days]
        return site.page(
            request, "tiers.html", visitor, stats=stats, moves=moves, days=days, counts=counts,
            bars=charts.bars(counts, width=700, height=90), most=max(stats.tiering.tier_counts.values(), default=1),
        )  # fmt: skip

    @router.get(f"{PREFIX}/strengths")
    def strengths(
        request: Request, user: str, agent: str | None = None, channel: str | None = None, after: str | None = None
    ) -> Response:
        """Show the tier and strength of each of a user's facts, and how it fades if it is not recalled."""
        visitor = site.visitor(request, "recall")
        scope = looked_at(site, visitor, user, agent, channel)
        found = list(scope.facts(limit=FACTS + 1, after=after))
        shown = found[:FACTS]
        outlook = scope.outlook(shown, AHEAD) if shown else {}
        rows = []
        for fact in shown:
            stands = outlook.get(fact.id, ())
            line = [each.strength or 0.0 for each in stands]
            rows.append((fact, stands[0] if stands else None, line, charts.curve(line, width=160, height=32)))
        return site.page(
            request, "strengths.html", visitor, user=user, agent=agent, channel=channel, rows=rows, ahead=AHEAD,
            after=after, next=shown[-1].id if len(found) > FACTS else None,
        )  # fmt: skip
