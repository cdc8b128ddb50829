"""Lists of words, in text files beside this module."""

import re
from pathlib import Path

from slowwave.core.predicates.english import these


def word_lists(name: str) -> dict[str, frozenset[str]]:
    """Return the lists of the file *name*: the words of each list, by the name in brackets before them."""
    text = Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8")
    parts = re.split(r"^\[(.*)\]$", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)
    return dict(zip(parts[1::2], map(these, parts[2::2]), strict=True))
