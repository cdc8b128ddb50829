"""The pages on which a person decides: login, reviews, dead letters, undo, permanent erasure and canaries."""

import json
from collections.abc import Mapping
from typing import Any, Literal, cast

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer.access_control import COOKIE, Visitor
from slowwave.api.viewer.site import PREFIX, Site, base
from slowwave.domain.dead_letter import DeadLetter, Verdict
from slowwave.domain.undo import Undone
from slowwave.errors import Incorrect, SlowwaveError, Unauthorized, Unavailable
from slowwave.formatting import counted

REVIEWS = 20
ReviewDone = Literal["accept", "reject", "edit"]
LETTERS = 30
LONGEST = 600
"""The maximum number of characters that are shown of a dead letter's text."""
LetterDone = Literal["retry", "drop"]
UNDOS = 20
RECEIPTS = 20
NAMES = ("user", "session", "fact", "matching")


def add_login(router: APIRouter, site: Site) -> None:
    """Add login and logout to *router*."""

    @router.get(f"{PREFIX}/enter")
    def enter(request: Request, next: str = "") -> Response:
        """Ask for a key. Visitors who are logged in or need no key are redirected."""
        try:
            site.visitor(request)
        except Unauthorized:
            return site.page(request, "login.html", None, next=next, wrong=None)
        return site.go(request, _local_target(next))

    @router.post(f"{PREFIX}/enter")
    def entered(request: Request) -> Response:
        """Start a session with the given key."""
        form = site.form(request, None)
        next = form.get("next", "")
        if not site.door.keyed:
            return site.go(request, _local_target(next))
        try:
            cookie = site.door.enter(form.get("key", "").strip())
        except Unavailable:
            raise
        except SlowwaveError as error:
            return site.page(request, "login.html", None, 401, next=next, wrong=error)
        response = site.go(request, _local_target(next))
        site.set_cookie(request, response, cookie)
        return response

    @router.post(f"{PREFIX}/leave")
    def leave(request: Request) -> Response:
        """End the session."""
        site.form(request, site.visitor(request))
        site.door.leave(request.cookies.get(COOKIE, ""))
        response = site.go(request, "/enter")
        response.delete_cookie(COOKIE, path=base(request), httponly=True, samesite="strict")
        return response


def _local_target(place: str) -> str:
    """Return *place* if it is a path of the viewer, else the viewer's first page."""
    return place if place.startswith("/") and not place.startswith(("//", "/\\", "/enter")) else ""


def add_review(router: APIRouter, site: Site) -> None:
    """Add the page of reviews, and the route of decisions, to *router*."""

    @router.get(f"{PREFIX}/review")
    def review(
        request: Request, after: int = 0, done: ReviewDone | None = None, number: int = 0, by: str = ""
    ) -> Response:
        """Show the open reviews, oldest first, each with the quoted words and the fact that the claim would replace."""
        visitor = site.visitor(request, "review", "recall")
        found = site.memory.review(limit=REVIEWS + 1, after=after, tenant=visitor.tenant)
        shown = found[:REVIEWS]
        return site.page(
            request, "review.html", visitor, reviews=shown, done=done, number=number, by=by, after=after,
            next=shown[-1].number if len(found) > REVIEWS else None, may=visitor.may("review"),
        )  # fmt: skip

    @router.post(f"{PREFIX}/review/{{number}}")
    def decide(request: Request, number: int) -> Response:
        """Decide a review in a person's name, and show the next review."""
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


def add_dead_letters(router: APIRouter, site: Site) -> None:
    """Add the page of dead letters, and the route of actions, to *router*."""

    @router.get(f"{PREFIX}/dead-letters")
    def letters(request: Request, after: int = 0, done: LetterDone | None = None, number: int = 0) -> Response:
        """List the open dead letters, oldest first."""
        visitor = site.visitor(request, "operate")
        operator = site.memory.operator(tenant=visitor.tenant)
        found = operator.dead_letters(LETTERS + 1, after=after, reviews=False)
        shown = found[:LETTERS]
        return site.page(
            request, "dead_letters.html", visitor, letters=[(one, _says(one)) for one in shown], done=done,
            number=number, after=after, next=shown[-1].letter if len(found) > LETTERS else None,
        )  # fmt: skip

    @router.post(f"{PREFIX}/dead-letters/{{number}}")
    def act(request: Request, number: int) -> Response:
        """Retry or drop a dead letter."""
        visitor = site.visitor(request, "operate")
        form, operator = site.form(request, visitor), site.memory.operator(tenant=visitor.tenant)
        act = form.get("act", "")
        if act == "retry":
            operator.retry([number])
        elif act == "drop":
            operator.drop([number])
        else:
            raise Incorrect("nothing was chosen", hint="retry the letter, or drop it")
        return site.go(request, "/dead-letters", done=act, number=number, after=form.get("after"))


def _says(letter: DeadLetter) -> str:
    """Return the text of a letter, cut to `LONGEST`: the words of its episode, or else the raw message."""
    text = letter.content or (json.dumps(letter.item, ensure_ascii=False, indent=1) if letter.item is not None else "")
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def add_undo(router: APIRouter, site: Site) -> None:
    """Add the page of undos, and the route that confirms an undo, to *router*."""

    @router.get(f"{PREFIX}/undo")
    def undo(
        request: Request, what: str = "", fact: str = "", right: str = "", pack: str = "", user: str = "",
        agent: str = "", channel: str = "", done: str = "",
    ) -> Response:  # fmt: skip
        """Show the changes that an undo, a correction or a replay would make.

        Without arguments, list the latest undos.
        """
        visitor = site.visitor(request, "review")
        asked = {
            "what": what, "fact": fact, "right": right, "pack": pack, "user": user, "agent": agent, "channel": channel,
        }  # fmt: skip
        seen = _done(site, visitor, asked, preview=True) if what or fact or pack else None
        undos = [] if seen else site.memory.undos(UNDOS, tenant=visitor.tenant)
        return site.page(request, "undo.html", visitor, seen=seen, undos=undos, asked=asked, done=done)

    @router.post(f"{PREFIX}/undo")
    def confirm(request: Request) -> Response:
        """Undo, correct or replay in a person's name, and show the result in the list."""
        visitor = site.visitor(request, "review")
        form = {name: value.strip() for name, value in site.form(request, visitor).items()}
        by = form.get("by", "")
        if not by:
            raise Incorrect.listing("the undo", ["enter your name: the deltas record it"], hint="go back")
        done = _done(site, visitor, form, by=by, reason=form.get("reason", ""))
        return site.go(request, "/undo", done=f"{done.what} is {'done' if form.get('pack') else 'undone'}")


def _done(site: Site, visitor: Visitor, asked: Mapping[str, str], **order: Any) -> Undone:
    """Do or preview the undo, correction or replay that the fields *asked* describe; return the changes."""
    if pack := asked.get("pack"):
        if not asked.get("user"):
            raise Incorrect.listing("the replay", ["name the user"], hint="start from the page of a run")
        return site.scope(visitor, asked["user"], asked.get("agent"), asked.get("channel")).replay(pack, **order)
    if not asked.get("fact"):
        return site.memory.undo(asked.get("what", ""), tenant=visitor.tenant, **order)
    scope, why = site.explained(visitor, asked["fact"])
    return scope.correct(why.fact, asked.get("right") or None, **order)


def add_forget(router: APIRouter, site: Site) -> None:
    """Add the page of erasures, and the route that confirms an erasure, to *router*."""

    @router.get(f"{PREFIX}/forget")
    def forget(
        request: Request, user: str = "", session: str = "", fact: str = "", matching: str = "", done: str = ""
    ) -> Response:
        """Show the memories that an erasure would remove. Without arguments, list the receipts."""
        visitor = site.visitor(request, "operate")
        asked = {"user": user, "session": session, "fact": fact, "matching": matching}
        named: dict[str, Any] = {name: value for name, value in asked.items() if value}
        seen = site.memory.forget(**named, preview=True, tenant=visitor.tenant) if named else None
        receipts = [] if seen else site.memory.erasures(RECEIPTS, tenant=visitor.tenant)
        return site.page(request, "forget.html", visitor, seen=seen, receipts=receipts, asked=asked, done=done)

    @router.post(f"{PREFIX}/forget")
    def confirm(request: Request) -> Response:
        """Erase exactly the memories that the preview showed, and show the receipt in the list."""
        visitor = site.visitor(request, "operate")
        form = site.form(request, visitor)
        named: dict[str, Any] = {name: form[name] for name in NAMES if form.get(name)}
        if form.get("sure") != "forget":
            raise Incorrect.listing("the erasure", ["enter `forget`: nobody can undo an erasure"], hint="go back")
        done = site.memory.forget(**named, confirm=form.get("confirm"), tenant=visitor.tenant)
        return site.go(request, "/forget", done=done.id)


def add_canaries(router: APIRouter, site: Site) -> None:
    """Add the page of canaries, and the route that promotes a canary or rolls it back, to *router*."""

    @router.get(f"{PREFIX}/canaries")
    def canaries(request: Request, pack: str = "", done: str = "") -> Response:
        """Compare the canary of a pack with the installed version. Without arguments, list the canaries."""
        visitor = site.visitor(request, "operate")
        seen = site.memory.canaries.status(pack, tenant=visitor.tenant) if pack else None
        return site.page(
            request, "canaries.html", visitor, seen=seen, canaries=[] if seen else site.memory.canaries.listing(),
            decides=site.operates_all_tenants(visitor), done=done,
        )  # fmt: skip

    @router.post(f"{PREFIX}/canaries")
    def decide(request: Request) -> Response:
        """Promote a canary or roll it back, in a person's name, and show the canaries."""
        visitor = site.visitor(request, "operate")
        site.require_all_tenants(visitor)
        form = {name: value.strip() for name, value in site.form(request, visitor).items()}
        pack, by, reason, act = (form.get(name, "") for name in ("pack", "by", "reason", "act"))
        if not by or act not in ("promote", "roll-back"):
            raise Incorrect.listing("the decision", ["enter your name, and promote or roll back"], hint="go back")
        verb = site.memory.canaries.promote if act == "promote" else site.memory.canaries.roll_back
        done = verb(pack, by=by, reason=reason)
        skipped = sum(len(replay.skipped) for replay in done.replays.values())
        left = f", but {counted(skipped, 'scopes')} skipped: its page says what to do there" if skipped else ""
        return site.go(request, "/canaries", done=f"{done.canary.pack}@{done.canary.version} is {done.verdict}{left}")
