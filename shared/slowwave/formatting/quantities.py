"""Counts, durations and languages in words."""

from collections.abc import Sequence
from datetime import timedelta

UNREAD = "unread_"
"""The prefix of a run's counts of unread turns: the language code follows."""

_LANGUAGES = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German",
    "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian", "fa": "Persian", "fi": "Finnish",
    "fr": "French", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "id": "Indonesian",
    "it": "Italian", "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian", "ms": "Malay",
    "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sk": "Slovak", "sl": "Slovenian", "sr": "Serbian", "sv": "Swedish", "sw": "Swahili", "ta": "Tamil", "th": "Thai",
    "tl": "Tagalog", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


def language(code: str) -> str:
    """Return the English name of the language with a *code*; the code itself for a rare one.

    >>> language("pt"), language("lij")
    ('Portuguese', 'the language lij')
    """
    return _LANGUAGES.get(code, f"the language {code}")


def counts_in_words(count: int, name: str) -> str:
    """Return a run's *count* under a *name*, in words.

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


def _singular(nouns: str) -> str:
    if nouns.endswith("ies"):
        return nouns.removesuffix("ies") + "y"
    return nouns.removesuffix("es") if nouns.endswith("sses") else nouns.removesuffix("s")
