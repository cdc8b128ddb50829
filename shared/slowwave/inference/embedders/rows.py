"""Rows of numbers from somebody else's model, made vectors of ours: of length 1, or zeros where they mean nothing."""

import numpy as np
import numpy.typing as npt

from slowwave.errors import Unprepared
from slowwave.ports import Vectors


def of_length_one(rows: npt.ArrayLike, *, texts: int, dimensions: int, whose: str) -> Vectors:
    """Return a float32 row of length 1 for each of so many *texts*; zeros for one that is no direction.

    A row with a number that is none or that overflows is no direction either. Raises `Unprepared` for rows of another
    number of *dimensions*: no text is to blame.
    """
    try:
        given = np.array(rows, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise Unprepared(f"{whose} gives what are no vectors of one length", hint=_HINT) from None
    if given.shape != (texts, dimensions):
        found = given.shape[-1] if given.ndim == 2 else "no"
        raise Unprepared(f"{whose} gives vectors of {found} dimensions, not of {dimensions}", hint=_HINT)
    given[[not all(row) for row in np.isfinite(given)]] = 0
    largest = np.abs(given).max(axis=1, initial=0, keepdims=True)
    scaled = given / np.where(largest > 0, largest, 1)
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    vectors: Vectors = (scaled / np.where(length > 0, length, 1)).astype(np.float32)
    return vectors


_HINT = "say in SLOWWAVE_EMBEDDING_DIMENSIONS how many numbers a vector of this model has"
