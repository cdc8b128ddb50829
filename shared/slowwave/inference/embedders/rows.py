"""Rows of numbers from other models, converted to our vectors: of length 1, or zeros without meaning."""

import numpy as np
import numpy.typing as npt

from slowwave.errors import Unprepared
from slowwave.ports import Vectors


def of_length_one(rows: npt.ArrayLike, *, texts: int, dimensions: int, whose: str) -> Vectors:
    """Return *rows* as float32 rows of length 1; zeros for a row without direction.

    A row with NaN or an overflow has no direction either. Raises `Unprepared`, because no text is to blame, unless
    there are *texts* rows of *dimensions* numbers. *whose* names the model in the error.
    """
    try:
        given = np.array(rows, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise Unprepared(f"{whose} gives vectors of different lengths, or no vectors", hint=_HINT) from None
    if given.shape != (texts, dimensions):
        found = given.shape[-1] if given.ndim == 2 else "no"
        raise Unprepared(f"{whose} gives vectors of {found} dimensions instead of {dimensions}", hint=_HINT)
    given[[not all(row) for row in np.isfinite(given)]] = 0
    largest = np.abs(given).max(axis=1, initial=0, keepdims=True)
    scaled = given / np.where(largest > 0, largest, 1)
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    vectors: Vectors = (scaled / np.where(length > 0, length, 1)).astype(np.float32)
    return vectors


_HINT = "set SLOWWAVE_EMBEDDING_DIMENSIONS to the number of dimensions of this model"
