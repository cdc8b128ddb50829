"""Masking: passwords, keys, tokens and card numbers out of what an agent tells, before anybody keeps or reads it.

What has a shape is found by `detect-secrets` (`shapes`), what is told in a sentence or beside a name by a rule of ours
(`sentences`), payment cards by their check digit (`cards`). A mask says what it hides, `[password masked]`; the same
text gives the same masks, and a masked one stays as it is.
"""

from slowwave.core.masking.masks import KEEP, MASKING, Kinds, Masking, Secrets, masked, masking, tells_secret
from slowwave.core.masking.spans import MASK, Kind

__all__ = ["KEEP", "MASK", "MASKING", "Kind", "Kinds", "Masking", "Secrets", "masked", "masking", "tells_secret"]
