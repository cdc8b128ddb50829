"""The registry of predicates out of files: one for all packs, and what each pack brings of its own."""

from slowwave.core.predicates import Predicates
from slowwave.rules.predicates.holding import holdings, places_of
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
