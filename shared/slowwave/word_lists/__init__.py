"""Lists of words and phrases, in text files beside this module. They are read once, at import."""

import re
from pathlib import Path


def texts(name: str) -> dict[str, str]:
    """Return the lists of the file *name*, each as text, by the name in brackets before it."""
    text = Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8")
    parts = re.split(r"^\[(.*)\]$", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)
    return dict(zip(parts[1::2], [part.strip("\n") for part in parts[2::2]], strict=True))


def word_lists(name: str) -> dict[str, frozenset[str]]:
    """Return the words of each list of the file *name*."""
    return {each: frozenset(text.split()) for each, text in texts(name).items()}


def patterns(name: str) -> dict[str, str]:
    """Return one alternation per list of the file *name*: an expression that matches any line of the list."""
    return {each: "|".join(text.splitlines()) for each, text in texts(name).items()}
