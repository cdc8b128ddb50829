"""One-line summaries of results for a console, with at most the beginning of a user's words."""

from datetime import datetime

LONGEST = 100
WORDS = 36
"""The most characters of each part, which leaves room for the other parts."""


def brief(thing: object, *said: object, id: object = None) -> str:
    """Return a line `<Kind id…: said, said>` of at most 100 characters, without empty parts.

    >>> brief(ValueError(), "Nora lives\\nin Lisbon", None, probability_text(0.95), id="3f2a18c05d")
    '<ValueError 3f2a18c0…: Nora lives in Lisbon, P .95>'
    """
    text = "" if id is None else str(id)
    head = f"<{type(thing).__name__}" + (f" {text[:8]}{'…' if len(text) > 8 else ''}" if text else "")
    body = ", ".join(clipped(str(one)) for one in said if one is not None and str(one).strip())
    return f"{head}: {clipped(body, LONGEST - len(head) - len(': >'))}>" if body else f"{head}>"


def clipped(text: str, most: int = WORDS) -> str:
    """Return the beginning of *text* as a line of at most *most* characters; unprintable characters become dots."""
    line = " ".join(text[: 4 * most].split())
    shown = "".join(one if one.isprintable() else "·" for one in line)
    return shown if len(shown) <= most and len(text) <= 4 * most else f"{shown[: most - 1].rstrip()}…"


def since(at: datetime | None, word: str = "since") -> str | None:
    """Return the day of *at* after a *word*; None if *at* is None."""
    return None if at is None else f"{word} {at.date().isoformat()}"


def probability_text(probability: float | None) -> str | None:
    """Return a probability like `P .95`; None for None."""
    return None if probability is None else f"P {probability:.2f}".replace("P 0.", "P .")


def many(count: int, name: str) -> str:
    """Return `3 episodes`, and `1 episode`."""
    return f"{count} {name}{'' if count == 1 else 's'}"
