"""Several workers with a deterministic model leave the beliefs of one; quotas of a tenant and a user hold for all."""

import random
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.model_calls import Chunk, Words
from slowwave.domain.scope import Scope
from slowwave.errors import Unavailable
from slowwave.memory import due_work
from slowwave.ports.model_calls import CallTerms, Outcome
from slowwave.settings import Settings
from slowwave.store.model_calls.call_queue import PostgresSynchronousCalls
from tests.contract.harness import Harness, at_once
from tests.contract.late_arrivals.comparing import digested, reviews, sound
from tests.contract.model_calls.harness import ModelCalls
from tests.contract.model_calls.scripted_models import TALK, Echo, Talk
from tests.contract.model_calls.test_asking import asking, take_all
from tests.unit.tables import table

ROWS = table(__file__)

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
TOLD = ROWS["told"]
"""Texts that the model repeats as claims; it claims nothing from the others."""
NEWS = ROWS["news"]
"""News that only the rules read, except for the last text."""


def life(seed: int) -> list[Episode]:
    """Return a user's episodes, mostly in order of time; about every third is late."""
    dice = random.Random(seed)
    said = [(dice.random(), one) for one in TOLD] + [(dice.random() + 0.3, one) for one in NEWS]
    days = list(range(len(said)))
    arrival = sorted(days, key=lambda day: day + dice.choice([0, 0, 4.5]))
    words = [one for _, one in sorted(said)]
    return [
        Episode(content=words[day], key=f"k{day}", session=f"s{day // 3}", occurred_at=NOON + timedelta(days=day))
        for day in arrival
    ]


def beside(settings: Settings, heavy_parts: dict[str, object], window: int) -> wiring.Parts:
    """Return a process with a pack that needs a model, and rules that also extract news."""
    parts = wiring.connect(settings.model_copy(update={"window": window}))
    vars(parts).update(heavy_parts, models={TALK: Talk(size=3)}, provider=Echo())
    for name in ("jobs", "asker"):
        vars(parts).pop(name, None)
    wiring.register(parts)
    return parts


def believed(harness: Harness, scope: Scope) -> Sequence[object]:
    """Return the rows of the digest without the tenant's name, and the open reviews."""
    sound(harness, scope)
    return digested(harness.parts, scope), reviews(harness, scope)


@pytest.mark.parametrize(("workers", "window"), [(1, 2), (4, 3)])
def test_several_workers_with_a_model_leave_the_same_digest_as_one(
    harness: Harness, settings: Settings, heavy_parts: dict[str, object], workers: int, window: int
) -> None:
    digests = []
    for many, size, tenant in ((1, 64, "alone"), (workers, window, "together")):
        lives = {Scope(tenant, f"user-{seed}", "concierge"): life(seed) for seed in range(4)}
        parts = [beside(settings, heavy_parts, size) for _ in range(many)]
        for scope, told in lives.items():
            for start in (0, 5):
                parts[0].push(scope, told[start : start + 5 if start == 0 else None])
                due_work.fire(parts[0], scope.id)
        ends = at_once([partial(due_work.drain, one, None, 60) for one in parts])
        assert [end for end in ends if isinstance(end, Exception)] == []
        digests.append({scope.user: believed(harness, scope) for scope in lives})
        for one in parts:
            one.close()

    assert digests[0] == digests[1]
    assert count(harness, "d.kind = 'delete' AND p.payload -> 'claim' ? 'effect'") > 0
    assert count(harness, "d.stands_at IS NOT NULL") > 0


def count(harness: Harness, what: str) -> int:
    """Return the number of decisions from rules beside the model, and from late episodes."""
    found: int = harness.value(f"SELECT count(*) FROM deltas d JOIN delta_payloads p ON p.delta = d.id WHERE {what}")
    return found


NORA, TOM = Scope("default", "nora", "concierge"), Scope("default", "tom", "concierge")


def called(calls: ModelCalls) -> Counter[str]:
    """Return the number of model calls by user."""
    asked = "SELECT h.user_id FROM model_calls JOIN model_requests USING (request) JOIN scope_heads h USING (scope)"
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


def test_calls_for_which_a_caller_waits_and_queued_requests_share_the_quota_of_a_user(
    calls: ModelCalls, echo: Echo
) -> None:
    tell(calls)
    calls.parts.quotas.set("default", "tokens-a-day", 1, applies="each user")
    at_once = PostgresSynchronousCalls(calls.parts.database, CallTerms(echo.name))
    chunk = Chunk((), (), Words(()), 1, 1)
    running = at_once.begin("an agent", NORA, chunk, deadline_seconds=9)
    asker = asking(calls, echo)

    assert [asker.ask("ann") for _ in range(2)] == ["ok", None]

    assert called(calls) == {"tom": 1}
    for scope in (NORA, TOM):
        with pytest.raises(Unavailable, match=f"the quota of user {scope.user} for model calls is used up"):
            at_once.begin("an agent", scope, chunk, deadline_seconds=9)
    at_once.end(running, Outcome("failed", billed=False))
    assert asker.ask("ann") == "ok", "a call that cost nothing leaves the quota as it was"
    assert called(calls) == {"nora": 1, "tom": 1}


def test_a_quota_of_each_user_in_cents_limits_each_user(calls: ModelCalls, echo: Echo) -> None:
    tell(calls)
    calls.parts.quotas.set("default", "cents-a-day", 1, applies="each user")
    asker = asking(calls, echo, prompt_price=10_000.0)

    while asker.ask("ann") is not None:
        pass

    assert called(calls) == {"nora": 1, "tom": 1}
    assert calls.value("SELECT count(*) FROM model_requests WHERE state = 'pending'") > 0
