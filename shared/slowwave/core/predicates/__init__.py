"""Predicates: how many values a predicate holds, how it relates to other predicates, and how it reads in a sentence."""

from slowwave.core.predicates.registry import PLAIN, Policy, Predicate, Predicates

__all__ = ["PLAIN", "Policy", "Predicate", "Predicates"]
