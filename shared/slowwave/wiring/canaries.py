"""The canaries of a process: versions of packs that read in a share of the scopes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from slowwave.settings import Settings

if TYPE_CHECKING:
    from slowwave.core.predicates import Predicates
    from slowwave.rules import Pack
    from slowwave.rules.canaries import Canary
    from slowwave.rules.hot_reload import ReloadedRules
    from slowwave.wiring.packs import ModelPack


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
