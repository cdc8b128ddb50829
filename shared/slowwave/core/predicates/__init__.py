"""Predicates as values: what each holds, ends and contradicts, and how it reads as a sentence."""

from slowwave.core.predicates.predicate import Policy, Predicate
from slowwave.core.predicates.registry import PLAIN, Predicates

__all__ = ["PLAIN", "Policy", "Predicate", "Predicates"]
