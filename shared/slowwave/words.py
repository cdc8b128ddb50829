"""Counts in words."""


def counted(count: int, nouns: str) -> str:
    """Return a *count* with its noun, which is given in the plural.

    >>> counted(2, "strategies"), counted(1, "strategies"), counted(1, "accesses"), counted(1, "runs")
    ('2 strategies', '1 strategy', '1 access', '1 run')
    >>> counted(1, "noop")
    '1 noop'
    """
    return f"{count} {_singular(nouns) if count == 1 else nouns}"


def _singular(nouns: str) -> str:
    if nouns.endswith("ies"):
        return nouns.removesuffix("ies") + "y"
    return nouns.removesuffix("es") if nouns.endswith("sses") else nouns.removesuffix("s")
