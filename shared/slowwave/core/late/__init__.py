"""Claims that come late: folded in their place, and what was told after them folded again."""

from slowwave.core.late.history import Done, Past, Told
from slowwave.core.late.place import Folded, fold_in_place

__all__ = ["Done", "Folded", "Past", "Told", "fold_in_place"]
