"""Work beside the caller: what is counted and written a little later, and what is looked up ahead."""

from functools import cached_property

from slowwave.core.masking import Masking, masking
from slowwave.hearing import Followers
from slowwave.jobs.context import Anticipation
from slowwave.jobs.hearing.deliver import Deliverer
from slowwave.posting.guarded import Guarded
from slowwave.settings import Settings
from slowwave.store.database import Database
from slowwave.store.operator.tally import Tally
from slowwave.store.standing.accesses import Accesses
from slowwave.store.webhooks.webhooks import PostgresWebhooks
from slowwave.wiring.brought import Scorers

DAY_SECONDS = 86_400.0


class BesideTheCaller:
    """Parts of a process that nobody waits for, what it asks of packages, and what it masks."""

    settings: Settings

    @cached_property
    def database(self) -> Database:
        """The way into Postgres."""
        raise NotImplementedError

    @property
    def masking(self) -> Masking:
        """The masking of secrets in what callers tell."""
        return masking(self.settings.secrets)

    @cached_property
    def tally(self) -> Tally:
        """The counters of the statistics."""
        return Tally(self.database)

    @cached_property
    def accesses(self) -> Accesses:
        """The accesses that are counted: what was returned to callers."""
        return Accesses(self.database)

    @cached_property
    def anticipation(self) -> Anticipation:
        """The memories that conversations of this process will likely need next."""
        return Anticipation()

    @cached_property
    def followers(self) -> Followers:
        """Those who hear what is learned."""
        return Followers()

    @property
    def webhooks(self) -> PostgresWebhooks:
        """The webhooks of every tenant."""
        return PostgresWebhooks(self.database)

    @property
    def poster(self) -> Guarded:
        """The way to receivers that tenants named."""
        return Guarded(self.settings.webhooks, self.settings.webhook_timeout_seconds)

    @property
    def deliverer(self) -> Deliverer:
        """The deliverer of what was learned to webhooks."""
        return Deliverer(self.webhooks, self.poster, self.settings.webhook_days * DAY_SECONDS)

    @cached_property
    def scorers(self) -> Scorers:
        """The scorers of salience that policies name."""
        return Scorers()
