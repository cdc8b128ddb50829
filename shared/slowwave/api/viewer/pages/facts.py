"""The page of one fact: its versions on both time axes, and why it is believed, with the original words."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer import charts
from slowwave.api.viewer.site import PREFIX, Site
from slowwave.runtime import clock

HEIGHT = 380.0
WEEKS = tuple(range(0, 26 * 7 + 1, 7))
"""Days ahead for which the strength is drawn: half a year."""


def add(router: APIRouter, site: Site) -> None:
    """Add the page to *router*."""

    @router.get(f"{PREFIX}/fact")
    def fact(request: Request, id: str) -> Response:
        """Show why a fact is or was believed: the rule or model, each decision, and the original words."""
        visitor = site.visitor(request, "recall")
        why = site.memory.why(id, tenant=visitor.tenant)
        assert why.scope
        owner = site.memory.scope(
            why.scope.user, agent=why.scope.agent, channel=why.scope.channel, tenant=visitor.tenant
        )  # fmt: skip
        versions = owner.versions(why.fact)
        patches, so, known = charts.plane(versions, height=HEIGHT)
        mine = [one for one in versions if one.id == why.fact]
        ahead = owner.outlook(mine[-1:], WEEKS).get(why.fact, ())
        until = mine[-1].valid_to if mine else None
        ended = until if until and until <= clock.now() else None
        strengths = [each.strength or 0.0 for each in ahead]
        return site.page(
            request, "fact.html", visitor, why=why, ended=ended, versions=versions, patches=patches, so=so, known=known,
            height=HEIGHT, user=why.scope.user, stands=ahead[0] if ahead else None,
            strengths=strengths, curve=charts.curve(strengths, width=600, height=80) if strengths else "",
        )  # fmt: skip
