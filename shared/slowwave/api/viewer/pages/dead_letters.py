"""Dead letters: what could not be used, why, and the levers to take it up again or lay it aside."""

import json
from typing import Literal

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer.site import PREFIX, Site
from slowwave.domain.dead_letter import DeadLetter
from slowwave.errors import Incorrect

LETTERS = 30
LONGEST = 600
"""Characters of what a letter says that are shown."""
Done = Literal["retry", "drop"]


def add(router: APIRouter, site: Site) -> None:
    """Add the page, and its levers, to *router*."""

    @router.get(f"{PREFIX}/letters")
    def letters(request: Request, after: int = 0, done: Done | None = None, number: int = 0) -> Response:
        """List what is open, oldest first."""
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
        """Take a letter up again, or lay it aside."""
        visitor = site.visitor(request, "operate")
        told, operator = site.form(request, visitor), site.memory.operator(tenant=visitor.tenant)
        act = told.get("act", "")
        if act == "retry":
            operator.retry([number])
        elif act == "drop":
            operator.drop([number])
        else:
            raise Incorrect("nothing was chosen", hint="take the letter up again, or lay it aside")
        return site.go(request, "/letters", done=act, number=number, after=told.get("after"))


def _says(letter: DeadLetter) -> str:
    """Return what a letter says: its episode's words, else the message as it came, cut where it is long."""
    text = letter.content or (json.dumps(letter.item, ensure_ascii=False, indent=1) if letter.item is not None else "")
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"
