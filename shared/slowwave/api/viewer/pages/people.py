"""The pages of people with memories, and of one person's facts on both time axes."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from operator import attrgetter

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer import charts
from slowwave.api.viewer.access_control import Visitor
from slowwave.api.viewer.site import PREFIX, Site
from slowwave.errors import Incorrect
from slowwave.memory import MemoryScope
from slowwave.runtime import clock

PEOPLE, FACTS, UNREAD = 50, 60, 5
"""Rows of a page."""


def add(router: APIRouter, site: Site) -> None:
    """Add the pages to *router*."""

    @router.get(f"{PREFIX}/people")
    def people(request: Request, after: str | None = None) -> Response:
        """List people by name."""
        visitor = site.visitor(request, "recall", "operate")
        found = site.memory.operator(tenant=visitor.tenant).people(PEOPLE + 1, after=after)
        return site.page(
            request, "people.html", visitor, people=found[:PEOPLE], after=after,
            next=found[PEOPLE - 1].name if len(found) > PEOPLE else None,
        )  # fmt: skip

    @router.get(f"{PREFIX}/person")
    def person(
        request: Request, user: str, agent: str | None = None, channel: str | None = None, so: str = "",
        known: str = "", after: str | None = None, before: str | None = None,
    ) -> Response:  # fmt: skip
        """Show a user's facts: all of them, or those true on one day, as known on one day.

        Also show unread turns, one page, *before* a given one.
        """
        visitor = site.visitor(request, "recall")
        scope = looked_at(site, visitor, user, agent, channel)
        so_at, known_at, now = end_of(so), end_of(known), clock.now()
        if so_at is None:
            found = scope.history(known_at=known_at, limit=FACTS + 1, after=after)
        else:
            found = list(scope.facts(as_of=so_at, known_at=known_at, limit=FACTS + 1, after=after))
        shown = found[:FACTS]
        line = charts.axis(charts.times(shown), now)
        outlook, unread = scope.outlook(shown) if shown else {}, scope.unread(UNREAD + 1, before=before)
        return site.page(
            request, "person.html", visitor, user=user, agent=agent, channel=channel, so=so, known=known, line=line,
            subjects=[(subject, list(each)) for subject, each in groupby(shown, attrgetter("subject"))],
            strengths={id_: stands[0].strength for id_, stands in outlook.items()}, after=after,
            next=shown[-1].id if len(found) > FACTS else None, at=so_at or now, scopes=scope.reach,
            unread=unread, turns=unread[:UNREAD], before=before,
            older=unread[UNREAD - 1].episode.id if len(unread) > UNREAD else None,
        )  # fmt: skip


def looked_at(site: Site, visitor: Visitor, user: str, agent: str | None, channel: str | None) -> MemoryScope:
    """Return the memory of *user* for reading without counting accesses; of all agents and channels by default."""
    return site.memory.scope(user, agent=agent or None, channel=channel or None, tenant=visitor.tenant).quietly()


def end_of(day: str) -> datetime | None:
    """Return the last instant of a form's *day* in UTC, None if the field is empty. Raises `Incorrect`."""
    if not day:
        return None
    try:
        return datetime.combine(date.fromisoformat(day), time(0), UTC) + timedelta(days=1, microseconds=-1)
    except (ValueError, OverflowError):
        raise Incorrect(f"{day!r} is not a day", hint="write it like 2026-03-02") from None
