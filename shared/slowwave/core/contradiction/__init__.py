"""Contradiction: decides which of two incompatible beliefs is believed, by the policy of their predicate."""

from slowwave.core.contradiction.conflict_resolution import Ruling, rule, sure

__all__ = ["Ruling", "rule", "sure"]
