"""The queue of reviews: what nobody could decide for certain, decided by a person."""

from typing import Literal, cast

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer.site import PREFIX, Site
from slowwave.domain.dead_letter import Verdict
from slowwave.errors import Incorrect, NotFound

REVIEWS = 20
Done = Literal["accept", "reject", "edit"]


def add(router: APIRouter, site: Site) -> None:
    """Add the page, and what decides, to *router*."""

    @router.get(f"{PREFIX}/review")
    def review(request: Request, after: int = 0, done: Done | None = None, number: int = 0, by: str = "") -> Response:
        """Show what waits for a person, oldest first, each with the words and with what would give way."""
        visitor = site.visitor(request, "review", "recall")
        found = site.memory.review(limit=REVIEWS + 1, after=after, tenant=visitor.tenant)
        shown = found[:REVIEWS]
        known = {}
        for fact in {fact for each in shown for fact in each.among}:
            try:
                known[fact] = site.memory.why(fact, tenant=visitor.tenant).text
            except NotFound:
                continue
        return site.page(
            request, "review.html", visitor, reviews=shown, known=known, done=done, number=number, by=by, after=after,
            next=shown[-1].number if len(found) > REVIEWS else None, may=visitor.may("review"),
        )  # fmt: skip

    @router.post(f"{PREFIX}/review/{{number}}")
    def decide(request: Request, number: int) -> Response:
        """Decide a review by a person's name, and show the next."""
        visitor = site.visitor(request, "review")
        told = site.form(request, visitor)
        verdict, by, object = told.get("verdict", ""), told.get("by", "").strip(), told.get("object", "").strip()
        problems = []
        if verdict not in ("accept", "reject", "edit"):
            problems.append("choose to accept, to reject or to edit")
        if not by:
            problems.append("say who decides: the decision carries your name")
        if verdict == "edit" and not object:
            problems.append("say what is right instead")
        if problems:
            raise Incorrect.listing("the decision", problems, hint="go back, the review still waits")
        site.memory.decide(
            number, cast(Verdict, verdict), by=by, object=object if verdict == "edit" else None,
            replaces=told.get("replaces") or None, tenant=visitor.tenant,
        )  # fmt: skip
        return site.go(request, "/review", done=verdict, number=number, by=by)
