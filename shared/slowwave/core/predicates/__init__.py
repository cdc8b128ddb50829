"""Predicates as values: how many values each holds, its relations to others, and its sentence."""

from slowwave.core.predicates.registry import PLAIN, Policy, Predicate, Predicates

__all__ = ["PLAIN", "Policy", "Predicate", "Predicates"]
