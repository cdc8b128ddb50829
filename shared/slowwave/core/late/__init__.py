"""Late arrivals: claims that are folded at their place in time, after which later claims are folded again."""

from slowwave.core.late.history import Done, Past, Told
from slowwave.core.late.place import Folded, fold_in_place

__all__ = ["Done", "Folded", "Past", "Told", "fold_in_place"]
