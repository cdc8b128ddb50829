"""The pages of memories: people, single facts, the graph, search, and tiers over time."""

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from operator import attrgetter

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer import charts
from slowwave.api.viewer.access_control import Visitor
from slowwave.api.viewer.site import PREFIX, Site
from slowwave.domain.fact import Fact
from slowwave.errors import Incorrect, NotFound
from slowwave.memory import MemoryScope
from slowwave.runtime import clock

PEOPLE_ON_A_PAGE, FACTS_OF_A_PERSON, UNREAD = 50, 60, 5
"""The numbers of rows on a page."""
HEIGHT_FACTS = 380.0
WEEKS = tuple(range(0, 26 * 7 + 1, 7))
"""The days from now for which the curve of a strength is drawn: half a year."""
WIDTH, HEIGHT_GRAPH = 960.0, 600.0
SIZES = (20, 40, 80)
"""The choices for the number of entities in the graph. A larger graph would be unreadable."""
PEOPLE_TO_CHOOSE, ANSWERS = 200, 20
AROUND = 5
"""The number of turns that are shown before and after an entry."""
DAYS, FACTS_DRAWN = 14, 40
AHEAD = (0, 7, 14, 30, 45, 60, 75, 90)
"""The days from now for which the page of strengths shows the strength of a fact."""


def add_people(router: APIRouter, site: Site) -> None:
    """Add the pages of people to *router*."""

    @router.get(f"{PREFIX}/people")
    def people(request: Request, after: str | None = None) -> Response:
        """List people, sorted by name."""
        visitor = site.visitor(request, "recall", "operate")
        found = site.memory.operator(tenant=visitor.tenant).people(PEOPLE_ON_A_PAGE + 1, after=after)
        return site.page(
            request, "people.html", visitor, people=found[:PEOPLE_ON_A_PAGE], after=after,
            next=found[PEOPLE_ON_A_PAGE - 1].name if len(found) > PEOPLE_ON_A_PAGE else None,
        )  # fmt: skip

    @router.get(f"{PREFIX}/person")
    def person(
        request: Request, user: str, agent: str | None = None, channel: str | None = None, so: str = "",
        known: str = "", after: str | None = None, before: str | None = None,
    ) -> Response:  # fmt: skip
        """Show a user's facts. With *so*, show only the facts that were true on that day. With *known*, show what was
        known on that day.

        The page also lists unread turns; with *before*, only those before this turn.
        """
        visitor = site.visitor(request, "recall")
        scope = looked_at(site, visitor, user, agent, channel)
        so_at, known_at, now = end_of(so), end_of(known), clock.now()
        if so_at is None:
            found = scope.history(known_at=known_at, limit=FACTS_OF_A_PERSON + 1, after=after)
        else:
            found = list(scope.facts(as_of=so_at, known_at=known_at, limit=FACTS_OF_A_PERSON + 1, after=after))
        shown = found[:FACTS_OF_A_PERSON]
        line = charts.axis(charts.times(shown), now)
        outlook, unread = scope.outlook(shown) if shown else {}, scope.unread(UNREAD + 1, before=before)
        return site.page(
            request, "person.html", visitor, user=user, agent=agent, channel=channel, so=so, known=known, line=line,
            subjects=[(subject, list(each)) for subject, each in groupby(shown, attrgetter("subject"))],
            strengths={id_: stands[0].strength for id_, stands in outlook.items()}, after=after,
            next=shown[-1].id if len(found) > FACTS_OF_A_PERSON else None, at=so_at or now, scopes=scope.reach,
            unread=unread, turns=unread[:UNREAD], before=before,
            older=unread[UNREAD - 1].episode.id if len(unread) > UNREAD else None,
        )  # fmt: skip


def looked_at(site: Site, visitor: Visitor, user: str, agent: str | None, channel: str | None) -> MemoryScope:
    """Return the memory of *user*, by default of all agents and channels. Reads of this memory are not counted as
    accesses.
    """
    return site.scope(visitor, user, agent, channel).quietly()


def end_of(day: str) -> datetime | None:
    """Return the last instant of a form's *day* in UTC; None if the field is empty.

    Raises `Incorrect` for an invalid day.
    """
    if not day:
        return None
    try:
        return datetime.combine(date.fromisoformat(day), time(0), UTC) + timedelta(days=1, microseconds=-1)
    except (ValueError, OverflowError):
        raise Incorrect(f"{day!r} is not a day", hint="write it like 2026-03-02") from None


def add_facts(router: APIRouter, site: Site) -> None:
    """Add the page of a fact to *router*."""

    @router.get(f"{PREFIX}/fact")
    def fact(request: Request, id: str) -> Response:
        """Show why a fact is or was believed: the rule or model, each decision, and the original words."""
        visitor = site.visitor(request, "recall")
        owner, why = site.explained(visitor, id)
        versions = owner.versions(why.fact)
        patches, so, known = charts.plane(versions, height=HEIGHT_FACTS)
        mine = [one for one in versions if one.id == why.fact]
        ahead = owner.outlook(mine[-1:], WEEKS).get(why.fact, ())
        until = mine[-1].valid_to if mine else None
        ended = until if until and until <= clock.now() else None
        strengths = [each.strength or 0.0 for each in ahead]
        return site.page(
            request, "fact.html", visitor, why=why, ended=ended, versions=versions, patches=patches, so=so, known=known,
            height=HEIGHT_FACTS, user=owner.scope.user, stands=ahead[0] if ahead else None,
            strengths=strengths, curve=charts.curve(strengths, width=600, height=80) if strengths else "",
        )  # fmt: skip


def add_graph(router: APIRouter, site: Site) -> None:
    """Add the page of the graph to *router*."""

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
        places = charts.layout([id_ for id_ in drawn.nodes if id_ in joined], ends, width=WIDTH, height=HEIGHT_GRAPH)
        return site.page(
            request, "graph.html", visitor, user=user, chosen=chosen, graph=drawn, places=places, leaves=leaves,
            width=WIDTH, height=HEIGHT_GRAPH, most=most, sizes=SIZES,
            scopes=looked_at(site, visitor, user, None, None).reach,
        )  # fmt: skip


def add_search(router: APIRouter, site: Site) -> None:
    """Add the pages of the search and of an entry to *router*."""

    @router.get(f"{PREFIX}/search")
    def search(request: Request, user: str = "", q: str = "") -> Response:
        """Show the answers to a question about a user, best first, and the explanation of the search."""
        visitor = site.visitor(request, "recall")
        people = site.memory.operator(tenant=visitor.tenant).people(PEOPLE_TO_CHOOSE)
        asked = bool(user.strip() and q.strip())
        found = looked_at(site, visitor, user, None, None).search_index(q, limit=ANSWERS, explain=True) if asked else []
        return site.page(
            request, "search.html", visitor, user=user, q=q, people=people, asked=asked, found=found,
            explained=getattr(found, "explained", None),
        )  # fmt: skip

    @router.get(f"{PREFIX}/entry")
    def entry(request: Request, user: str, id: str) -> Response:
        """Show an episode in full with the episodes around it. The id of a fact redirects to the fact's page."""
        visitor = site.visitor(request, "recall")
        scope = looked_at(site, visitor, user, None, None)
        (one,) = scope.entries([id])
        if isinstance(one, Fact):
            return site.go(request, "/fact", id=one.id)
        around = scope.timeline(one.id, before=AROUND, after=AROUND)
        return site.page(request, "entry.html", visitor, user=user, one=one, around=around)


def add_tiers(router: APIRouter, site: Site) -> None:
    """Add the pages of tiers and strengths to *router*."""

    @router.get(f"{PREFIX}/tiers")
    def tiers(request: Request) -> Response:
        """Show the number of memories on each tier, and the moves of the last fourteen days."""
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
        """Show the tier and strength of each of a user's facts, and the strength that the fact will have without
        further recalls.
        """
        visitor = site.visitor(request, "recall")
        scope = looked_at(site, visitor, user, agent, channel)
        found = list(scope.facts(limit=FACTS_DRAWN + 1, after=after))
        shown = found[:FACTS_DRAWN]
        outlook = scope.outlook(shown, AHEAD) if shown else {}
        rows = []
        for fact in shown:
            stands = outlook.get(fact.id, ())
            line = [each.strength or 0.0 for each in stands]
            rows.append((fact, stands[0] if stands else None, line, charts.curve(line, width=160, height=32)))
        return site.page(
            request, "strengths.html", visitor, user=user, agent=agent, channel=channel, rows=rows, ahead=AHEAD,
            after=after, next=shown[-1].id if len(found) > FACTS_DRAWN else None,
        )  # fmt: skip
