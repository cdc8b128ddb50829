"""Webhook deliveries: each delta is sent at least once, in ledger order."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from pydantic import TypeAdapter

from slowwave.core.webhooks import pause_after, signature
from slowwave.domain.delta import AppliedDelta
from slowwave.domain.webhook import Answered, ClaimedWebhook
from slowwave.http_client import SsrfGuard
from slowwave.runtime import clock
from slowwave.store.webhooks import PostgresWebhooks

PAGE = 100
REST_SECONDS = 0.5
"""Seconds until the ledger is read again if its newest deltas were not final, because a transaction with earlier deltas
may still commit.
"""
TURN_SECONDS = 5.0
"""Seconds for which one webhook is served before the next webhook has its turn."""
_JSON = TypeAdapter(AppliedDelta)


@dataclass(frozen=True, slots=True)
class Deliverer:
    """The delivery to webhooks, one after the other. A webhook that fails for *patience_seconds* is disabled."""

    store: PostgresWebhooks
    poster: SsrfGuard
    patience_seconds: float
    chance: Callable[[], float] = random.random

    def deliver(self) -> str | None:
        """Serve one webhook for a while; return the outcome, or None if no webhook has pending deltas.

        A repeated call is safe.
        """
        lease_seconds = self.poster.timeout_seconds + 30.0  # a slow database must not cause a second delivery
        delivery = self.store.take(lease_seconds)
        if delivery is None:
            return None
        end = clock.monotonic() + TURN_SECONDS
        page = self.store.page(delivery, PAGE)
        delivered = 0
        for one, following in zip(page, [*page[1:], None], strict=False):  # the page may be empty
            wanted = delivery.wants(one)
            if wanted:
                answer = send(self.poster, delivery.url, delivery.secret, str(one.id), message(one))
                if not answer.accepted:
                    return self._failed(delivery, answer, delivered)
            delivered += wanted
            last = following is None or clock.monotonic() >= end
            if (wanted or last) and not self.store.moved(delivery, one, delivered=int(wanted), seconds=lease_seconds):
                return "lost"
            if last:
                break
        self.store.let_go(delivery, 0.0 if page else REST_SECONDS)
        return "ok" if delivered else "nothing"

    def _failed(self, delivery: ClaimedWebhook, answer: Answered, delivered: int) -> str:
        attempts = 0 if delivered else delivery.attempts
        pause = pause_after(attempts, chance=self.chance(), wished_seconds=answer.retry_after_seconds)
        given_up = self.store.failed(
            delivery, answer.description, seconds=pause, gone=answer.gone, patience_seconds=self.patience_seconds
        )
        return "given up" if given_up else "failed"


def message(one: AppliedDelta) -> bytes:
    """Return the body of a delivery: the type, the time of application, and the delta as the API lists it."""
    return _body(f"delta.{one.delta.kind}", one.delta.promotion_ts, _JSON.dump_json(one))


def test_body(at: datetime) -> bytes:
    """Return the body of a test delivery."""
    return _body("webhook.test", at, b"{}")


def send(poster: SsrfGuard, url: str, secret: str, id_: str, body: bytes) -> Answered:
    """Sign *body*, send it, and return the receiver's answer. standardwebhooks.com describes the headers."""
    timestamp = int(clock.now().timestamp())
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "slowwave",
        "webhook-id": id_,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(secret, id_, timestamp, body),
    }
    return poster.post(url, body, headers)


def _body(kind: str, at: datetime, data: bytes) -> bytes:
    return b'{"type":"%s","timestamp":"%s","data":%s}' % (kind.encode(), at.isoformat().encode(), data)
