"""Text for people: counts, durations and languages in words, and one-line summaries of values."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

UNREAD = "unread_"
"""The prefix of a run's counts of unread turns. The language code follows the prefix."""

_LANGUAGES = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German",
    "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian", "fa": "Persian", "fi": "Finnish",
    "fr": "French", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "id": "Indonesian",
    "it": "Italian", "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian", "ms": "Malay",
    "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sk": "Slovak", "sl": "Slovenian", "sr": "Serbian", "sv": "Swedish", "sw": "Swahili", "ta": "Tamil", "th": "Thai",
    "tl": "Tagalog", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
LONGEST = 100
WORDS = 36
"""The maximum number of characters of each part of a line. Room for other parts is left."""


def language(code: str) -> str:
    """Return the English name of the language with the code *code*; for a rare language, a phrase with the code.

    >>> language("pt"), language("lij")
    ('Portuguese', 'the language lij')
    """
    return _LANGUAGES.get(code, f"the language {code}")


def counts_in_words(count: int, name: str) -> str:
    """Return a count of a run as text. *name* is the name of the count.

    >>> counts_in_words(3, "add"), counts_in_words(2, "unread_pt")
    ('3 add', '2 turns unread (Portuguese)')
    """
    if name.startswith(UNREAD):
        return f"{counted(count, 'turns')} unread ({language(name.removeprefix(UNREAD))})"
    return counted(count, name)


def counted(count: int, nouns: str) -> str:
    """Return a *count* with its noun; *nouns* is the plural.

    >>> counted(2, "strategies"), counted(1, "strategies"), counted(1, "accesses"), counted(1, "runs")
    ('2 strategies', '1 strategy', '1 access', '1 run')
    >>> counted(1, "noop")
    '1 noop'
    """
    return f"{count} {_singular(nouns) if count == 1 else nouns}"


def listed(words: Sequence[str]) -> str:
    """Return *words* as a list in a sentence.

    >>> listed(["German"]), listed(["German", "Spanish"]), listed(["German", "Polish", "Spanish"])
    ('German', 'German and Spanish', 'German, Polish and Spanish')
    """
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def seconds(duration: timedelta | float | None) -> str:
    """Return a duration with its unit.

    >>> seconds(timedelta(milliseconds=31)), seconds(75), seconds(7300)
    ('0.03 s', '1 min 15 s', '2 h 1 min')
    """
    if duration is None:
        return ""
    total = duration.total_seconds() if isinstance(duration, timedelta) else duration
    if total < 60:
        return f"{total:.2f} s" if total < 10 else f"{total:.1f} s"
    minutes = int(total) // 60
    return f"{minutes} min {int(total) % 60} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def utc(instant: datetime | None) -> str:
    """Return an instant to the second, in UTC; empty for None.

    >>> utc(datetime(2026, 3, 2, 13, 5, tzinfo=UTC))
    '2026-03-02 13:05:00Z'
    """
    return f"{instant.astimezone(UTC):%Y-%m-%d %H:%M:%SZ}" if instant else ""


def one_line(text: str) -> str:
    """Return *text* on one line, without control characters that move the cursor or hide text."""
    return "".join(c if c.isprintable() else " " for c in text)


def _singular(nouns: str) -> str:
    if nouns.endswith("ies"):
        return nouns.removesuffix("ies") + "y"
    return nouns.removesuffix("es") if nouns.endswith("sses") else nouns.removesuffix("s")


def brief(thing: object, *details: object, id: object = None) -> str:
    """Return a line `<Kind id…: said, said>` of at most 100 characters, without empty parts.

    >>> brief(ValueError(), "Nora lives\\nin Lisbon", None, probability_text(0.95), id="3f2a18c05d")
    '<ValueError 3f2a18c0…: Nora lives in Lisbon, P .95>'
    """
    text = "" if id is None else str(id)
    head = f"<{type(thing).__name__}" + (f" {text[:8]}{'…' if len(text) > 8 else ''}" if text else "")
    body = ", ".join(clipped(str(one)) for one in details if one is not None and str(one).strip())
    return f"{head}: {clipped(body, LONGEST - len(head) - len(': >'))}>" if body else f"{head}>"


def clipped(text: str, most: int = WORDS) -> str:
    """Return the beginning of *text* as a line of at most *most* characters; unprintable characters become dots."""
    line = " ".join(text[: 4 * most].split())
    shown = "".join(one if one.isprintable() else "·" for one in line)
    return shown if len(shown) <= most and len(text) <= 4 * most else f"{shown[: most - 1].rstrip()}…"


def since(at: datetime | None, word: str = "since") -> str | None:
    """Return *word* and the day of *at*; None if *at* is None."""
    return None if at is None else f"{word} {at.date().isoformat()}"


def probability_text(probability: float | None) -> str | None:
    """Return a probability like `P .95`; None for None."""
    return None if probability is None else f"P {probability:.2f}".replace("P 0.", "P .")


def many(count: int, name: str) -> str:
    """Return a count with its noun: `3 episodes`, and `1 episode`."""
    return f"{count} {name}{'' if count == 1 else 's'}"
