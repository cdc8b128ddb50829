"""The page of dead letters, with their reasons and buttons to retry or drop them."""

import json
from typing import Literal

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer.site import PREFIX, Site
from slowwave.domain.dead_letter import DeadLetter
from slowwave.errors import Incorrect

LETTERS = 30
LONGEST = 600
"""The most characters shown of a letter's text."""
Done = Literal["retry", "drop"]


def add(router: APIRouter, site: Site) -> None:
    """Add the page, and its actions, to *router*."""

    @router.get(f"{PREFIX}/letters")
    def letters(request: Request, after: int = 0, done: Done | None = None, number: int = 0) -> Response:
        """List the open dead letters, oldest first."""
        visitor = site.visitor(request, "operate")
        operator = site.memory.operator(tenant=visitor.tenant)
        found = operator.dead_letters(LETTERS + 1, after=after, reviews=False)
        shown = found[:LETTERS]
        return site.page(
            request, "dead_letters.html", visitor, letters=[(one, _says(one)) for one in shown], done=done,
            number=number, after=after, next=shown[-1].letter if len(found) > LETTERS else None,
        )  # fmt: skip

    @router.post(f"{PREFIX}/letters/{{number}}")
    def act(request: Request, number: int) -> Response:
        """Retry or drop a letter."""
        visitor = site.visitor(request, "operate")
        told, operator = site.form(request, visitor), site.memory.operator(tenant=visitor.tenant)
        act = told.get("act", "")
        if act == "retry":
            operator.retry([number])
        elif act == "drop":
            operator.drop([number])
        else:
            raise Incorrect("nothing was chosen", hint="retry the letter, or drop it")
        return site.go(request, "/letters", done=act, number=number, after=told.get("after"))


def _says(letter: DeadLetter) -> str:
    """Return the text of a letter: its episode's words, else the raw message, cut to `LONGEST`."""
    text = letter.content or (json.dumps(letter.item, ensure_ascii=False, indent=1) if letter.item is not None else "")
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"
