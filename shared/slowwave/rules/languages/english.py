"""Plainly English text, recognised by its commonest words without a language model."""

import re

SHARE = 8
"""At least one word in this many must be common."""
_COMMON = re.compile(
    r"\b(?:the|and|of|that|this|with|had|are|were|but|not|they|she|his|what|when|about|been|would|from|there|"
    r"just|really|how|out|them|which|their|your|you|my|it|it's|i'm|i've|i'll|i'd|don't|didn't|can't|that's|we're)\b"
)


def plainly_english(text: str) -> bool:
    """Return whether *text* is English beyond doubt.

    >>> plainly_english("I moved to Lisbon with my sister"), plainly_english("Ayer fui al mercado con mi hermana")
    (True, False)
    """
    said = text.lower().replace("’", "'")
    return len(_COMMON.findall(said)) * SHARE >= max(1, len(said.split()))
