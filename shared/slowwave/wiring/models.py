"""The parts of a process that make model requests."""

from collections.abc import Mapping
from functools import cached_property

from slowwave.core.summaries.retelling import Teller
from slowwave.domain.job_table import RECONSIDER, RETELL, pack_of
from slowwave.ports.desk import Asking
from slowwave.rules.lifecycle import Lifecycle
from slowwave.rules.reader.judge import Judge
from slowwave.spans import collect_spans
from slowwave.wiring.beside import BesideTheCaller
from slowwave.wiring.brought import refuse_unknown, teller_of
from slowwave.wiring.packs import ModelPack, reading_model


class AskingModels(BesideTheCaller):
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
    def teller(self) -> Teller | None:
        """The summary requester; None if summaries only quote. Raises `Incorrect` if no model is set."""
        return teller_of(self.settings.summariser, reading_model(self.settings, self.lifecycle))

    @property
    def judge(self) -> Judge | None:
        """The judge of beliefs by a model; None without a model, when only rules reconsider."""
        model = reading_model(self.settings, self.lifecycle)
        return Judge(model) if model else None

    @property
    def asking(self) -> Mapping[str, Asking]:
        """All parts that make model requests, by the pack of the requests."""
        alone = {pack_of(RETELL): self.teller, pack_of(RECONSIDER): self.judge}
        return {**self.models, **{pack: one for pack, one in alone.items() if one is not None}}
