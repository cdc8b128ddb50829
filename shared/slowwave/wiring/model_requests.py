"""The parts of a process that make model requests."""

from collections.abc import Mapping
from functools import cached_property

from slowwave.core.summaries.model_summary import ModelSummariser
from slowwave.domain.job_table import RECONSIDER, RETELL, pack_of
from slowwave.ports.model_calls import SendableExtractor
from slowwave.rules.lifecycle import Lifecycle
from slowwave.rules.model_packs.judge import Judge
from slowwave.telemetry.collector import collect_spans
from slowwave.wiring.background_work import BackgroundWork
from slowwave.wiring.model_components import model_summariser_of, refuse_unknown
from slowwave.wiring.packs import ModelPack, reading_model


class ModelRequestParts(BackgroundWork):
    """The parts of a process that make model requests: packs that read with a model, model summaries, and judged
    beliefs.
    """

    def __post_init__(self) -> None:
        refuse_unknown(self.settings)
        collect_spans(self.settings.traces_url)

    @cached_property
    def models(self) -> Mapping[str, ModelPack]:
        """The packs that need a model, by name."""
        raise NotImplementedError

    @property
    def lifecycle(self) -> Lifecycle:
        """The lifecycle policies in force."""
        raise NotImplementedError

    @property
    def model_summariser(self) -> ModelSummariser | None:
        """The summary requester; None if summaries only quote. Raises `Incorrect` if no model is set."""
        return model_summariser_of(self.settings.summariser, reading_model(self.settings, self.lifecycle))

    @property
    def judge(self) -> Judge | None:
        """The judge of beliefs by a model; None without a model, when only rules reconsider."""
        model = reading_model(self.settings, self.lifecycle)
        return Judge(model) if model else None

    @property
    def asking(self) -> Mapping[str, SendableExtractor]:
        """All parts that make model requests, by the pack of the requests."""
        alone = {pack_of(RETELL): self.model_summariser, pack_of(RECONSIDER): self.judge}
        return {**self.models, **{pack: one for pack, one in alone.items() if one is not None}}
