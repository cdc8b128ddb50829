"""The registry of predicates from files: one shared by all packs, and each pack's own."""

from slowwave.core.predicates import Predicates
from slowwave.rules.predicates.cardinality import holdings, places_of
from slowwave.rules.predicates.loading import PREDICATES, brought, load_predicates, predicate_files
from slowwave.rules.predicates.merging import Declared, disagreements, disputes, merged, together
from slowwave.rules.predicates.schema import PredicatePart, PredicateParts

__all__ = [
    "PREDICATES",
    "Declared",
    "PredicatePart",
    "PredicateParts",
    "Predicates",
    "brought",
    "disagreements",
    "disputes",
    "holdings",
    "load_predicates",
    "merged",
    "places_of",
    "predicate_files",
    "together",
]
