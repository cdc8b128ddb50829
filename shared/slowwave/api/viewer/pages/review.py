"""The page of open reviews, for decisions by a person."""

from typing import Literal, cast

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer.site import PREFIX, Site
from slowwave.domain.dead_letter import Verdict
from slowwave.errors import Incorrect

REVIEWS = 20
Done = Literal["accept", "reject", "edit"]


def add(router: APIRouter, site: Site) -> None:
    """Add the page, and its decisions, to *router*."""

    @router.get(f"{PREFIX}/review")
    def review(request: Request, after: int = 0, done: Done | None = None, number: int = 0, by: str = "") -> Response:
        """Show the open reviews, oldest first, each with the words and the fact it would replace."""
        visitor = site.visitor(request, "review", "recall")
        found = site.memory.review(limit=REVIEWS + 1, after=after, tenant=visitor.tenant)
        shown = found[:REVIEWS]
        return site.page(
            request, "review.html", visitor, reviews=shown, done=done, number=number, by=by, after=after,
            next=shown[-1].number if len(found) > REVIEWS else None, may=visitor.may("review"),
        )  # fmt: skip

    @router.post(f"{PREFIX}/review/{{number}}")
    def decide(request: Request, number: int) -> Response:
        """Decide a review in a person's name, and show the next."""
        visitor = site.visitor(request, "review")
        form = site.form(request, visitor)
        verdict, by, object = form.get("verdict", ""), form.get("by", "").strip(), form.get("object", "").strip()
        problems = []
        if verdict not in ("accept", "reject", "edit"):
            problems.append("choose to accept, to reject or to edit")
        if not by:
            problems.append("enter your name: the decision records it")
        if verdict == "edit" and not object:
            problems.append("enter the correct object")
        if problems:
            raise Incorrect.listing("the decision", problems, hint="go back, the review is still open")
        site.memory.decide(
            number, cast(Verdict, verdict), by=by, object=object if verdict == "edit" else None,
            replaces=form.get("replaces") or None, tenant=visitor.tenant,
        )  # fmt: skip
        return site.go(request, "/review", done=verdict, number=number, by=by)
