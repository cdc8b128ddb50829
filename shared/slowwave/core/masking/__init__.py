"""Masking: replaces passwords, keys, tokens and card numbers in an agent's input before it is stored or read.

The module `formats` finds secrets of a known format (with `detect-secrets`), payment cards by their check digit, and
values beside a name in data. The modules `sentences` and `phrases` find secrets in sentences by words near them. A mask
names the kind of the secret: `[password masked]`. The same text always gives the same masks, and a masked text stays
unchanged.
"""

from slowwave.core.masking.masks import KEEP, MASKING, Kinds, Masking, Secrets, masked, masking, tells_secret
from slowwave.core.masking.spans import MASK, Kind

__all__ = ["KEEP", "MASK", "MASKING", "Kind", "Kinds", "Masking", "Secrets", "masked", "masking", "tells_secret"]
