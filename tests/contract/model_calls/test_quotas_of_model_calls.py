"""Quotas of model calls: a tenant's quota replaces the installation's cap, and a user over a quota waits."""

from slowwave.domain.scope import Scope
from tests.contract.harness import Harness
from tests.contract.model_calls.harness import ModelCalls, likes
from tests.contract.model_calls.scripted_models import TALK, Echo
from tests.contract.model_calls.test_asking import asking, echo

__all__ = ["echo"]
MODEL = "fake:echo?temperature=0"
NORA, TOM = Scope("default", "nora", "concierge"), Scope("default", "tom", "concierge")


def users(harness: Harness) -> set[str]:
    """Return the users for whom a model was called."""
    found = harness.rows(
        "SELECT h.user_id FROM model_calls c JOIN model_requests r USING (request) JOIN scope_heads h USING (scope)"
    )
    return {user for (user,) in found}


def told(model_calls: ModelCalls) -> None:
    for scope in (NORA, TOM):
        model_calls.say(scope, *likes(8))
    model_calls.drain()


def test_a_quota_of_the_tenant_replaces_the_cap_of_the_installation(
    model_calls: ModelCalls, harness: Harness, echo: Echo
) -> None:
    told(model_calls)
    harness.parts.quotas.set("default", "tokens-a-day", 150)
    harness.parts.quotas.set("default", "cents-a-day", 7)
    asker = asking(model_calls, echo, cap_tokens=10_000)

    taken = [one for _ in range(8) if (one := asker.store.take("ann", [TALK], [MODEL]))]

    assert len(taken) == 2
    assert harness.rows("SELECT cap_tokens, cap_micros FROM model_budgets") == [(150, 70_000)]


def test_a_user_over_the_quota_waits_for_tomorrow_and_others_are_served(
    model_calls: ModelCalls, harness: Harness, echo: Echo
) -> None:
    told(model_calls)
    harness.parts.quotas.set("default", "tokens-a-day", 1, applies="user", user="nora")
    asker = asking(model_calls, echo)

    outcomes = [asker.ask("ann") for _ in range(8)]

    spent = {quota.user: quota.left for quota in harness.parts.quotas.listing("default")}
    nora, tom = (
        harness.value(
            "SELECT count(*) FROM model_calls c JOIN model_requests r USING (request) "
            "JOIN scope_heads h USING (scope) WHERE h.user_id = %s", user
        )
        for user in ("nora", "tom")
    )  # fmt: skip
    assert (nora, tom > 1, outcomes[-1], spent) == (1, True, None, {"nora": 0})
    harness.later(24 * 3600)
    assert asker.ask("ann") == "ok"


def test_a_quota_of_each_user_in_cents_limits_each_user(model_calls: ModelCalls, harness: Harness, echo: Echo) -> None:
    told(model_calls)
    harness.parts.quotas.set("default", "cents-a-day", 1, applies="each user")
    asker = asking(model_calls, echo, prompt_price=10_000.0)

    while asker.ask("ann") is not None:
        pass

    assert users(harness) == {"nora", "tom"}
    assert harness.value("SELECT count(*) FROM model_requests WHERE state = 'pending'") > 0
    assert harness.value("SELECT count(*) FROM model_calls") == 2
