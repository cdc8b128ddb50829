"""Quotas of model calls: a tenant's quota replaces the installation's cap, and a user over a quota waits."""

from collections import Counter

from slowwave.domain.scope import Scope
from tests.contract.model_calls.harness import ModelCalls
from tests.contract.model_calls.scripted_models import Echo
from tests.contract.model_calls.test_asking import asking, take_all

NORA, TOM = Scope("default", "nora", "concierge"), Scope("default", "tom", "concierge")


def called(calls: ModelCalls) -> Counter[str]:
    """Return the number of model calls by user."""
    asked = "SELECT user_id FROM model_calls JOIN model_requests USING (request) JOIN scope_heads USING (scope)"
    return Counter(calls.column(asked))


def tell(calls: ModelCalls) -> None:
    for scope in (NORA, TOM):
        calls.plan(8, scope=scope)


def test_a_quota_of_the_tenant_replaces_the_cap_of_the_installation(calls: ModelCalls, echo: Echo) -> None:
    tell(calls)
    calls.parts.quotas.set("default", "tokens-a-day", 150)
    calls.parts.quotas.set("default", "cents-a-day", 7)
    asker = asking(calls, echo, cap_tokens=10_000)

    assert len(take_all(asker)) == 2
    assert calls.rows("SELECT cap_tokens, cap_micros FROM model_budgets") == [(150, 70_000)]


def test_a_user_over_the_quota_waits_for_tomorrow_and_others_are_served(calls: ModelCalls, echo: Echo) -> None:
    tell(calls)
    calls.parts.quotas.set("default", "tokens-a-day", 1, applies="user", user="nora")
    asker = asking(calls, echo)

    outcomes = [asker.ask("ann") for _ in range(8)]

    spent = {quota.user: quota.left for quota in calls.parts.quotas.listing("default")}
    assert (called(calls)["nora"], called(calls)["tom"] > 1, outcomes[-1], spent) == (1, True, None, {"nora": 0})
    calls.later(24 * 3600)
    assert asker.ask("ann") == "ok"


def test_a_quota_of_each_user_in_cents_limits_each_user(calls: ModelCalls, echo: Echo) -> None:
    tell(calls)
    calls.parts.quotas.set("default", "cents-a-day", 1, applies="each user")
    asker = asking(calls, echo, prompt_price=10_000.0)

    while asker.ask("ann") is not None:
        pass

    assert called(calls) == {"nora": 1, "tom": 1}
    assert calls.value("SELECT count(*) FROM model_requests WHERE state = 'pending'") > 0
