"""The policy of an installation, axis by axis, and the policies of tenants that have their own policy."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal

from slowwave.core.decay import DecayPolicy
from slowwave.core.recall.scoring import Scoring
from slowwave.core.retention_periods import Retention
from slowwave.core.tiers import Level, TierPolicy


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The thresholds of promotion. A fact that meets all thresholds is promoted to the `_global` channel of its agent.

    *confidence* is the probability now that the fact is true. *accesses* is the number of times when the fact was
    returned. *conversations* is the number of sessions in which the fact was said.
    """

    confidence: float = 0.85
    accesses: int = 5
    conversations: int = 2

    def unmet(self, *, confidence: float, accesses: int, conversations: int) -> list[str]:
        """Return the unmet thresholds in words. An empty list means that the fact may be promoted.

        >>> Thresholds().unmet(confidence=0.9, accesses=4, conversations=2)
        ['accesses: 4 of 5']
        """
        found = []
        if confidence < self.confidence:
            found.append(f"confidence: {confidence:g} of {self.confidence:g}")
        if accesses < self.accesses:
            found.append(f"accesses: {accesses} of {self.accesses}")
        if conversations < self.conversations:
            found.append(f"conversations: {conversations} of {self.conversations}")
        return found


@dataclass(frozen=True, slots=True)
class Merging:
    """The rule by which a new entity is merged into an older one.

    The cosine between the entities must be at least *concept*, or at least *entity* for a proper name. If *by* is
    `agreement`, the spellings must agree too. If *by* is `cosine`, only the cosine decides.
    """

    concept: float = 0.85
    entity: float = 0.90
    by: Literal["agreement", "cosine"] = "agreement"

    def near_enough(self, name: str) -> float:
        """Return the least cosine for merging *name* with another name."""
        return self.entity if any(letter.isupper() for letter in name) else self.concept


@dataclass(frozen=True, slots=True)
class Policy:
    """The parameters for one tenant's memories. *names* gives the preset of each axis."""

    names: Mapping[str, str]
    tiers: TierPolicy
    decay: DecayPolicy
    scoring: Scoring
    promotion: Thresholds
    retention: Retention
    graph: Merging = field(default_factory=Merging)

    @property
    def archives(self) -> bool:
        """True if a memory may be archived: by a move down from the coldest tier, or because it has faded."""
        return self.tiers.archives or self.decay.shelves

    def snapshot(self) -> dict[str, Any]:
        """Return every parameter in force, with its preset, as JSON values. Durations are in seconds."""
        axes = {
            "tiers": self.tiers, "decay": self.decay, "scoring": self.scoring,
            "promotion": self.promotion, "retention": self.retention, "graph": self.graph,
        }  # fmt: skip
        return {axis: {"preset": self.names.get(axis), **plain(part)} for axis, part in axes.items()}


BARE = Policy({}, TierPolicy((Level("cold"),), "cold"), DecayPolicy(), Scoring(), Thresholds(), Retention())
"""The policy of an installation that chooses no policy. It has one tier and no decay."""


@dataclass(frozen=True, slots=True)
class Policies:
    """The default policy (*everybody*), and the policies of the *tenants* that have their own policy."""

    everybody: Policy
    tenants: Mapping[str, Policy] = field(default_factory=dict)

    def of(self, tenant: str) -> Policy:
        """Return the policy of *tenant*."""
        return self.tenants.get(tenant, self.everybody)

    @property
    def audit_kept(self) -> timedelta | None:
        """The retention of the audit log, which all tenants share.

        It is the longest that any tenant sets. None means forever.
        """
        return None if self._legal_hold else max(each.audit_kept for each in self._retentions)

    @property
    def bookkeeping_kept(self) -> timedelta | None:
        """The retention of firings and heartbeats, which is the longest that any tenant sets. None means forever."""
        return None if self._legal_hold else max(each.bookkeeping_kept for each in self._retentions)

    @property
    def periods(self) -> dict[str, Any]:
        """The default retention periods, and the periods of tenants with their own policy (see `Retention.periods`)."""
        return {
            "everybody": self.everybody.retention.periods,
            "tenants": {tenant: policy.retention.periods for tenant, policy in self.tenants.items()},
        }

    @property
    def _retentions(self) -> list[Retention]:
        return [policy.retention for policy in (self.everybody, *self.tenants.values())]

    @property
    def _legal_hold(self) -> bool:
        return any(each.legal_hold for each in self._retentions)


def plain(value: Any) -> Any:
    """Return *value* as JSON values, with fields by name and durations in seconds. Unset fields are left out."""
    if isinstance(value, timedelta):
        return value.total_seconds()
    if dataclasses.is_dataclass(value):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {name: plain(each) for name, each in fields.items() if each is not None}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value
