"""Background work of a process, its canaries (versions of packs that read in a share of the scopes), and the parts that
make model requests.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from slowwave.domain.job_table import RECONSIDER, RETELL, pack_of
from slowwave.settings import Settings
from slowwave.store.database import Database
from slowwave.subscriptions import OpenSubscriptions
from slowwave.telemetry.collector import collect_spans
from slowwave.wiring.model_components import Scorers, Shared, model_summariser_of, refuse_unknown

if TYPE_CHECKING:
    from slowwave.core.masking import Masking
    from slowwave.core.predicates import Predicates
    from slowwave.core.summaries.model_summary import ModelSummariser
    from slowwave.http_client import SsrfGuard
    from slowwave.jobs.context import Anticipation
    from slowwave.jobs.webhook_deliveries import Deliverer
    from slowwave.ports.model_calls import SendableExtractor
    from slowwave.rules import Pack
    from slowwave.rules.ahead import ReadingAhead
    from slowwave.rules.canaries import Canary
    from slowwave.rules.hot_reload import ReloadedRules
    from slowwave.rules.lifecycle import Lifecycle
    from slowwave.rules.model_packs.judge import Judge
    from slowwave.store.memory_state.accesses import Accesses
    from slowwave.store.operator.tally import Tally
    from slowwave.store.webhooks import PostgresWebhooks
    from slowwave.wiring.packs import ModelPack

DAY_SECONDS = 86_400.0


class CanaryParts:
    """The canaries of the parts of a process."""

    settings: Settings

    @cached_property
    def packs(self) -> Sequence[Pack]:
        """The installed rule packs."""
        raise NotImplementedError

    @cached_property
    def watched(self) -> ReloadedRules:
        """The present packs and policies."""
        raise NotImplementedError

    @cached_property
    def models(self) -> Mapping[str, ModelPack]:
        """Every pack that needs a model, by name."""
        raise NotImplementedError

    @cached_property
    def registry(self) -> Predicates:
        """The predicates of all packs in force, for jobs and transactions once the packs are loaded."""
        from slowwave.wiring.packs import predicates_of

        packs = [*(self.watched.packs.values() or self.packs), *self.models.values()]
        return predicates_of([*packs, *(one.pack for one in self.canaries.values())])

    @property
    def canaries(self) -> Mapping[str, Canary]:
        """The last valid canaries, by pack. Raises `Incorrect` with all problems if they were never valid."""
        return self.watched.canaries if self.watched.packs else self._canaries

    @cached_property
    def _canaries(self) -> Mapping[str, Canary]:
        """The canaries that `canaries.yaml` declares. Without this file, the packs are not loaded."""
        from slowwave.rules.canaries import CANARIES, load_canaries
        from slowwave.rules.folders import find_policy, find_reader_folders
        from slowwave.rules.predicates import load_predicates

        rules = self.settings.rules
        if (policy := find_policy(CANARIES, rules)) is None:
            return {}
        return load_canaries(
            policy, {pack.pack: pack for pack in self.packs}, find_reader_folders([rules] if rules else []),
            shared=load_predicates(rules), statements=self.settings.statements,
        )  # fmt: skip


class BackgroundWork:
    """The background work of a process, the masking of secrets, and the parts that come from installed packages."""

    settings: Settings

    @cached_property
    def database(self) -> Database:
        """The database connections."""
        raise NotImplementedError

    @property
    def masking(self) -> Masking:
        """The masker of secrets in the texts that callers send."""
        from slowwave.core.masking import masking

        return masking(self.settings.secrets)

    @cached_property
    def tally(self) -> Tally:
        """The counters of the statistics."""
        from slowwave.store.operator.tally import Tally

        return Tally(self.database)

    @cached_property
    def accesses(self) -> Accesses:
        """The counter of accesses: it counts the memories that are returned to callers."""
        from slowwave.store.memory_state.accesses import Accesses

        return Accesses(self.database)

    @cached_property
    def anticipation(self) -> Anticipation:
        """The part that predicts which memories the conversations of this process will need next."""
        from slowwave.jobs.context import Anticipation

        return Anticipation()

    @cached_property
    def followers(self) -> OpenSubscriptions:
        """The listeners to new deltas."""
        return OpenSubscriptions()

    @property
    def webhooks(self) -> PostgresWebhooks:
        """The webhooks of every tenant."""
        from slowwave.store.webhooks import PostgresWebhooks

        return PostgresWebhooks(self.database)

    @property
    def poster(self) -> SsrfGuard:
        """The HTTP client for receivers that tenants named."""
        from slowwave.http_client import SsrfGuard

        return SsrfGuard(self.settings.webhooks, self.settings.webhook_timeout_seconds)

    @property
    def deliverer(self) -> Deliverer:
        """The sender of deltas to webhooks."""
        from slowwave.jobs.webhook_deliveries import Deliverer

        return Deliverer(self.webhooks, self.poster, self.settings.webhook_days * DAY_SECONDS)

    @cached_property
    def scorers(self) -> Scorers:
        """The scorers of salience, which policies select by name."""
        return Scorers()

    @Shared
    def ahead(self) -> ReadingAhead | None:
        """The process that reads the next windows in advance; None without a second core, or on Windows."""
        from slowwave.rules.ahead import ReadingAhead

        wanted = self.settings.read_ahead and os.name == "posix" and (os.cpu_count() or 1) > 1
        return ReadingAhead() if wanted else None


class ModelRequestParts(BackgroundWork, CanaryParts):
    """The parts of a process that make model requests: model packs, summaries by a model, and judgements by a model."""

    def __post_init__(self) -> None:
        refuse_unknown(self.settings)
        collect_spans(self.settings.traces_url)

    @property
    def lifecycle(self) -> Lifecycle:
        """The lifecycle policies in force."""
        raise NotImplementedError

    @property
    def model_summariser(self) -> ModelSummariser | None:
        """The requester of model summaries; None if summaries only quote.

        Raises `Incorrect` if a model is needed but not set.
        """
        from slowwave.wiring.packs import reading_model

        return model_summariser_of(self.settings.summariser, reading_model(self.settings, self.lifecycle))

    @property
    def judge(self) -> Judge | None:
        """The part that asks a model to judge beliefs; None without a model, because then only rules judge beliefs."""
        from slowwave.rules.model_packs.judge import Judge
        from slowwave.wiring.packs import reading_model

        model = reading_model(self.settings, self.lifecycle)
        return Judge(model) if model else None

    @property
    def asking(self) -> Mapping[str, SendableExtractor]:
        """All parts that make model requests, by the name of the pack in these requests."""
        alone = {pack_of(RETELL): self.model_summariser, pack_of(RECONSIDER): self.judge}
        return {**self.models, **{pack: one for pack, one in alone.items() if one is not None}}
