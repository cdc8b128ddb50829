"""Predicates: the number of values that a predicate holds, its relations to other predicates, and its sentence."""

from slowwave.core.predicates.registry import PLAIN, Policy, Predicate, Predicates

__all__ = ["PLAIN", "Policy", "Predicate", "Predicates"]
