"""Everything in a process that has requests made to a language model."""

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
    """Parts of a process that have models asked: packs that read with one, summaries that one
    tells, and beliefs that one judges."""

    def __post_init__(self) -> None:
        refuse_unknown(self.settings)
        collect_spans(self.settings.traces_url)

    @cached_property
    def models(self) -> Mapping[str, ModelPack]:
        """The packs that need a model, by name."""
        raise NotImplementedError

    @property
    def lifecycle(self) -> Lifecycle:
        """The policies in force."""
        raise NotImplementedError

    @property
    def teller(self) -> Teller | None:
        """The teller of summaries in a model's words; None where they quote. Raises `Incorrect` without a model."""
        return teller_of(self.settings.summariser, reading_model(self.settings, self.lifecycle))

    @property
    def judge(self) -> Judge | None:
        """The judge of beliefs by a model; None without one, when rules alone reconsider."""
        model = reading_model(self.settings, self.lifecycle)
        return Judge(model) if model else None

    @property
    def asking(self) -> Mapping[str, Asking]:
        """Everything that has requests made to a model, by the pack that they are made for."""
        alone = {pack_of(RETELL): self.teller, pack_of(RECONSIDER): self.judge}
        return {**self.models, **{pack: one for pack, one in alone.items() if one is not None}}
