"""Masking: replaces passwords, keys, tokens and card numbers in an agent's input before it is stored or read.

Secrets of a known format are found by `detect-secrets` (`shapes`), those in sentences by words near them (`sentences`,
`phrases`), those in data beside a name (`fields`), and payment cards by their check digit (`cards`). A mask names what
it hides, `[password masked]`. The same text always gives the same masks, and a masked text stays unchanged.
"""

from slowwave.core.masking.masks import KEEP, MASKING, Kinds, Masking, Secrets, masked, masking, tells_secret
from slowwave.core.masking.spans import MASK, Kind

__all__ = ["KEEP", "MASK", "MASKING", "Kind", "Kinds", "Masking", "Secrets", "masked", "masking", "tells_secret"]
