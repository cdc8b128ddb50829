"""The page of the knowledge graph around a user, as a drawing and as a list."""

from collections import Counter

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer import charts
from slowwave.api.viewer.pages.people import looked_at
from slowwave.api.viewer.site import PREFIX, Site
from slowwave.errors import NotFound

WIDTH, HEIGHT = 960.0, 600.0
SIZES = (20, 40, 80)
"""The most entities shown at once: more are unreadable."""


def add(router: APIRouter, site: Site) -> None:
    """Add the page to *router*."""

    @router.get(f"{PREFIX}/graph")
    def graph(
        request: Request, user: str, agent: str | None = None, channel: str | None = None, most: int = SIZES[1]
    ) -> Response:
        """Show the most important entities of one agent and channel, and their relations."""
        visitor = site.visitor(request, "recall")
        scopes = [one for one in looked_at(site, visitor, user, None, None).reach if not agent or one.agent == agent]
        scopes = [one for one in scopes if not channel or one.channel == channel]
        drawn = None
        for one in scopes:
            drawn = looked_at(site, visitor, user, one.agent, one.channel).graph.load(min(max(most, 1), SIZES[-1]))
            chosen = one
            if drawn.nodes or (agent and channel):
                break
        if drawn is None:
            raise NotFound(f"there are no memories of {user} there", hint="choose a user on the page People")
        ends = [(edge.source, edge.target) for edge in drawn.edges if edge.source != edge.target]
        joined = {end for pair in ends for end in pair}
        degree = Counter(end for pair in ends for end in pair)
        leaves = {end: edge.type for edge in drawn.edges for end in (edge.source, edge.target) if degree[end] == 1}
        places = charts.layout([id_ for id_ in drawn.nodes if id_ in joined], ends, width=WIDTH, height=HEIGHT)
        return site.page(
            request, "graph.html", visitor, user=user, chosen=chosen, graph=drawn, places=places, leaves=leaves,
            width=WIDTH, height=HEIGHT, most=most, sizes=SIZES, scopes=looked_at(site, visitor, user, None, None).reach,
        )  # fmt: skip
