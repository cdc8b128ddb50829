"""Contradiction: which of two beliefs that cannot both be so is held, by the policy of their predicate."""

from slowwave.core.contradiction.ruling import Ruling, rule, sure

__all__ = ["Ruling", "rule", "sure"]
