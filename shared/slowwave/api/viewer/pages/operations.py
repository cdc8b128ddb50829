"""The page of operations on a whole installation: the check of every ledger, and the quotas of tenants."""

import re
from typing import Any, get_args

from fastapi import APIRouter, Request
from fastapi.responses import Response

from slowwave.api.viewer.site import PREFIX, Site
from slowwave.domain.access import PERIODS, Applies
from slowwave.errors import Incorrect
from slowwave.memory.operations import Quotas

FINDINGS = 200
"""The maximum number of findings on the page. `slowwave check --all --json` prints all."""
NAMES = ("act", "what", "most", "applies", "user", "tenant")


def add_operations(router: APIRouter, site: Site) -> None:
    """Add the page of operations, and the route that confirms one, to *router*."""

    @router.get(f"{PREFIX}/operations")
    def operations(
        request: Request, act: str = "", what: str = "", most: str = "", applies: str = "", user: str = "",
        tenant: str = "", done: str = "",
    ) -> Response:  # fmt: skip
        """Ask for the confirmation of a check or of a change of a quota. Without arguments, list the quotas."""
        visitor = site.visitor(request, "operate")
        asked = dict(zip(NAMES, (act, what, most, applies, user, tenant), strict=True))
        if act or tenant not in ("", visitor.tenant):
            site.require_all_tenants(visitor)
        return site.page(
            request, "operations.html", visitor, asked=asked, whose=_whose(asked), done=done, kinds=list(PERIODS),
            quotas=site.memory.quotas.listing(tenant=tenant or visitor.tenant), found=None, most=FINDINGS,
            decides=site.operates_all_tenants(visitor),
        )  # fmt: skip

    @router.post(f"{PREFIX}/operations")
    def confirm(request: Request) -> Response:
        """Check all ledgers and show the findings, or set or remove a quota and show the quotas."""
        visitor = site.visitor(request, "operate")
        site.require_all_tenants(visitor)
        form = {name: value.strip() for name, value in site.form(request, visitor).items()}
        asked = {name: form.get(name, "") for name in NAMES}
        if asked["act"] == "check":
            return site.page(
                request, "operations.html", visitor, asked=asked, whose="", done="", kinds=[], quotas=[],
                found=site.memory.check(rebuild=True), most=FINDINGS, decides=True,
            )  # fmt: skip
        if asked["act"] not in ("set", "remove") or asked["applies"] not in get_args(Applies):
            raise Incorrect("nothing was chosen", hint="check, or set or remove a quota")
        of: dict[str, Any] = {"tenant": asked["tenant"] or visitor.tenant, "each_user": asked["applies"] == "each user"}
        if asked["applies"] == "user":
            of["user"] = asked["user"]
        return site.go(request, "/operations", done=_changed(site.memory.quotas, asked, of), tenant=asked["tenant"])


def _changed(quotas: Quotas, asked: dict[str, str], of: dict[str, Any]) -> str:
    """Set or remove the quota that the fields of a form name; return in words what holds now."""
    what, most = asked["what"], asked["most"]
    if asked["act"] == "remove":
        quotas.remove(what, **of)
        return f"{_whose(asked)} has no quota of {what}"
    if not re.fullmatch(r"[0-9]{1,18}", most):
        raise Incorrect.listing("the quota", ["enter a whole number"], hint="go back")
    quotas.set(what, int(most), **of)
    return f"{_whose(asked)} may use at most {most} of {what}"


def _whose(asked: dict[str, str]) -> str:
    """Return whose quota the fields of a form name, in words."""
    return {"each user": "each user", "user": f"user {asked['user']}"}.get(asked["applies"], "the tenant")
