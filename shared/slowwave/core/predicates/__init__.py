"""Predicates as values: how many values each holds, its relations to others, and its sentence."""

from slowwave.core.predicates.predicate import Policy, Predicate
from slowwave.core.predicates.registry import PLAIN, Predicates

__all__ = ["PLAIN", "Policy", "Predicate", "Predicates"]
