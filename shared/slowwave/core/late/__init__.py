"""History folded again: late claims at their place in time, and undone claims left out."""

from slowwave.core.late.history import Done, Past, Told
from slowwave.core.late.place import Folded, fold_in_place
from slowwave.core.late.since import Since, fold_before
from slowwave.core.late.undoing import Refolded, Undoing, fold_without

__all__ = [
    "Done", "Folded", "Past", "Refolded", "Since", "Told", "Undoing", "fold_before", "fold_in_place", "fold_without",
]  # fmt: skip
