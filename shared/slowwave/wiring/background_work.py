"""Background work: counts that are written later, and memories that are looked up ahead."""

import os
from functools import cached_property

from slowwave.core.masking import Masking, masking
from slowwave.http_client.ssrf_guard import SsrfGuard
from slowwave.jobs.context import Anticipation
from slowwave.jobs.webhooks.deliver import Deliverer
from slowwave.rules.ahead import ReadingAhead
from slowwave.settings import Settings
from slowwave.store.database import Database
from slowwave.store.memory_state.accesses import Accesses
from slowwave.store.operator.tally import Tally
from slowwave.store.webhooks.webhooks import PostgresWebhooks
from slowwave.subscriptions import OpenSubscriptions
from slowwave.wiring.model_components import Scorers

DAY_SECONDS = 86_400.0


class BackgroundWork:
    """The parts of a process that work in the background, that come from installed packages, and that mask secrets."""

    settings: Settings

    @cached_property
    def database(self) -> Database:
        """The database connections."""
        raise NotImplementedError

    @property
    def masking(self) -> Masking:
        """The masker of secrets in what callers send."""
        return masking(self.settings.secrets)

    @cached_property
    def tally(self) -> Tally:
        """The counters of the statistics."""
        return Tally(self.database)

    @cached_property
    def accesses(self) -> Accesses:
        """The counter of accesses: memories returned to callers."""
        return Accesses(self.database)

    @cached_property
    def anticipation(self) -> Anticipation:
        """The memories that conversations of this process will probably need next."""
        return Anticipation()

    @cached_property
    def followers(self) -> OpenSubscriptions:
        """The listeners to new deltas."""
        return OpenSubscriptions()

    @property
    def webhooks(self) -> PostgresWebhooks:
        """The webhooks of every tenant."""
        return PostgresWebhooks(self.database)

    @property
    def poster(self) -> SsrfGuard:
        """The HTTP client for receivers that tenants named."""
        return SsrfGuard(self.settings.webhooks, self.settings.webhook_timeout_seconds)

    @property
    def deliverer(self) -> Deliverer:
        """The sender of deltas to webhooks."""
        return Deliverer(self.webhooks, self.poster, self.settings.webhook_days * DAY_SECONDS)

    @cached_property
    def scorers(self) -> Scorers:
        """The scorers of salience that policies may name."""
        return Scorers()

    @cached_property
    def ahead(self) -> ReadingAhead | None:
        """The reader of windows ahead, in a process of its own; None without a second core, or on Windows."""
        wanted = self.settings.read_ahead and os.name == "posix" and (os.cpu_count() or 1) > 1
        return ReadingAhead() if wanted else None
