"""The webhooks of tenants: their settings and cursors. Only the delivery reads the secrets."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slowwave.domain.delta import AppliedDelta
from slowwave.domain.job_table import DELIVER
from slowwave.domain.overview import Due
from slowwave.domain.webhook import ClaimedWebhook, Webhook
from slowwave.errors import NotFound
from slowwave.store.beliefs import deltas
from slowwave.store.database import Database
from slowwave.store.statements import execute

MOST_DUE = 100
"""The maximum number of webhooks for which workers are woken at once."""


@dataclass(frozen=True, slots=True)
class PostgresWebhooks:
    """The webhooks of an installation. Every method is one transaction, and raises `Unavailable`."""

    database: Database

    def add(
        self, tenant: str, url: str, secret: str, kinds: Sequence[str], filters: Mapping[str, str | None]
    ) -> Webhook:
        """Store a webhook, which gets the deltas applied from now on; return the webhook."""
        with self.database.tenant(tenant) as connection:
            fields = {
                "url": url,
                "secret": secret,
                "kinds": list(kinds),
                **filters,
                "recorded": deltas.horizon(connection),
            }
            return _listed(execute(connection, "webhooks/add", **fields).mappings().one())

    def listing(self, tenant: str) -> list[Webhook]:
        """Return the webhooks of a tenant, oldest first."""
        with self.database.tenant(tenant) as connection:
            return [_listed(row) for row in execute(connection, "webhooks/list").mappings()]

    def remove(self, tenant: str, webhook: uuid.UUID) -> Webhook:
        """Remove a webhook and its secret; return the removed webhook. Raises `NotFound`."""
        return self._changed("webhooks/remove", tenant, webhook)

    def enable(self, tenant: str, webhook: uuid.UUID) -> Webhook:
        """Enable a webhook again, from the cursor at which it stopped; return the webhook. Raises `NotFound`."""
        return self._changed("webhooks/enable", tenant, webhook)

    def signed_with(self, tenant: str, webhook: uuid.UUID) -> tuple[str, str]:
        """Return the address and the secret of a webhook. Raises `NotFound`."""
        with self.database.dispatch() as connection:
            row = execute(connection, "webhooks/secret", tenant=tenant, webhook=webhook).one_or_none()
        if row is None:
            raise _missing(webhook)
        url, secret = row
        return url, secret

    def due(self) -> list[Due]:
        """Return the webhooks that may have pending deltas now, each with its due time."""
        with self.database.dispatch() as connection:
            rows = execute(connection, "webhooks/due", most=MOST_DUE)
            return [Due(webhook, DELIVER, due) for webhook, due in rows]

    def take(self, seconds: float) -> ClaimedWebhook | None:
        """Claim for *seconds* the webhook that has waited longest; return None if no webhook has pending deltas."""
        with self.database.dispatch() as connection:
            row = execute(connection, "webhooks/take", seconds=seconds).mappings().one_or_none()
        return (
            None
            if row is None
            else ClaimedWebhook(**{"user" if name == "user_id" else name: row[name] for name in row})
        )

    def page(self, delivery: ClaimedWebhook, limit: int) -> list[AppliedDelta]:
        """Return the next *limit* deltas after a webhook's cursor, including deltas that the webhook does not want.

        No later commit can insert a delta before the returned deltas.
        """
        with self.database.tenant(delivery.tenant) as connection:
            until = deltas.horizon(connection)
            return deltas.applied(
                connection, delivery.tenant, None, since=delivery.recorded, after=delivery.delta, before=until,
                most=limit,
            )  # fmt: skip

    def moved(self, delivery: ClaimedWebhook, last: AppliedDelta, *, delivered: int, seconds: float) -> bool:
        """Move a webhook's cursor past *last* and hold the claim for *seconds*; return False if the claim is lost."""
        asked = {"recorded": last.delta.promotion_ts, "delta": last.id, "delivered": delivered, "seconds": seconds}
        with self.database.dispatch() as connection:
            found = execute(connection, "webhooks/advance_cursor", **asked, **_claim(delivery))
            return found.one_or_none() is not None

    def let_go(self, delivery: ClaimedWebhook, seconds: float) -> None:
        """Release a webhook, which is due again after *seconds*."""
        self._put_off(delivery, seconds=seconds, trouble=None, gone=False, patience=0.0)

    def failed(
        self, delivery: ClaimedWebhook, trouble: str, *, seconds: float, gone: bool, patience_seconds: float
    ) -> bool:
        """Release a webhook after a failed delivery; return whether the webhook is disabled now.

        *trouble* is the reason of the failure. A webhook is disabled if the receiver wants no more deliveries (*gone*),
        or if deliveries have failed for *patience_seconds*.
        """
        return self._put_off(delivery, seconds=seconds, trouble=trouble, gone=gone, patience=patience_seconds)

    def _put_off(self, delivery: ClaimedWebhook, **asked: Any) -> bool:
        with self.database.dispatch() as connection:
            found = execute(connection, "webhooks/postpone", **asked, **_claim(delivery))
            return bool(found.scalar_one_or_none())

    def _changed(self, statement: str, tenant: str, webhook: uuid.UUID) -> Webhook:
        with self.database.tenant(tenant) as connection:
            row = execute(connection, statement, webhook=webhook).mappings().one_or_none()
        if row is None:
            raise _missing(webhook)
        return _listed(row)


def _claim(delivery: ClaimedWebhook) -> dict[str, object]:
    return {"webhook": delivery.webhook, "token": delivery.token}


def _listed(row: Mapping[Any, Any]) -> Webhook:
    return Webhook(**{"user" if name == "user_id" else name: row[name] for name in row})


def _missing(webhook: uuid.UUID) -> NotFound:
    return NotFound(f"there is no webhook {webhook}", hint="`slowwave webhooks list` shows them")
