"""Values of secrets, as opposed to ordinary words: `the password is on the wall`."""

import re

from slowwave.core.masking.spans import MASK, Kind

_PIN = re.compile(r"\d{4,8}|\d(?:[ -]\d){3,7}")
_NO_SECRET = re.compile(
    r"\d{1,2}(?::\d\d)?(?:am|pm|h)|\d[\d.,]*(?:st|nd|rd|th|s|x|k|m|gb|mb|bits?|%)"  # times, ordinals, amounts
    r"|[$€£#@][\w.,-]+|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}"  # money, tags, people, dates
    r"|[^@\s]+@[^@\s]+\.\w+|\w{2,10}://.*",  # addresses
    re.IGNORECASE,
)
_STAND_IN = re.compile(r"\$\{?\w+\}?|\{\{?.*|<.*|%.*|\*+|x+|\.+|•+", re.IGNORECASE)
"""Placeholders for secrets in forms and programs."""
_CALL = re.compile(r"[\w)\]][(\[]|[)\]]\.|\b[a-z_]+\.[a-z_]+")
"""An expression in program code."""
_WORDS = frozenset({
    "changed", "empty", "false", "hidden", "incorrect", "invalid", "missing", "none", "null", "optional", "password",
    "redacted", "required", "secret", "string", "text", "true", "unchanged", "undefined",
})  # fmt: skip
"""Values in forms and schemas that are not secrets."""


def is_secret_value(word: str, kind: Kind) -> bool:
    """Return whether *word* after `is` is a secret of *kind*.

    >>> is_secret_value("hunter2", "password"), is_secret_value("on", "password")
    (True, False)
    >>> is_secret_value("4711", "PIN"), is_secret_value("32", "key")
    (True, False)
    """
    if len(word) < 3 or MASK.search(word) or _STAND_IN.fullmatch(word) or _NO_SECRET.fullmatch(word):
        return False
    digits, letters = any(map(str.isdigit, word)), any(map(str.isalpha, word))
    if kind == "PIN":
        return bool(_PIN.fullmatch(word))
    if kind == "code":
        return digits and (len(word) <= 10 or letters)
    if kind != "password":
        return digits and letters and len(word) >= 6 and not _CALL.search(word)
    if re.search(r"\w\(", word):
        return False
    if not letters:
        return digits and len(word) >= 4
    odd = any(character in "!#$%^&*_+=~@?|" for character in word[1:]) and len(word) > 4
    return digits or odd or (not word.isupper() and any(map(str.isupper, word[1:])))


def assigned(word: str, kind: Kind, *, quoted: bool) -> bool:
    """Return whether *word* after `=` or `:` is a secret of *kind*, in quotation marks or not.

    >>> assigned("swordfish", "password", quoted=True), assigned("args.password", "password", quoted=False)
    (True, False)
    """
    if len(word) < 3 or MASK.search(word) or _STAND_IN.fullmatch(word) or word.casefold() in _WORDS:
        return False
    if kind == "password" and quoted:
        return not re.search(r"\s", word)
    if kind == "password" and re.fullmatch(r"[a-zß-ÿ]{3,}(?:-[a-zß-ÿ]{2,})+", word):
        return True
    if not quoted and _CALL.search(word):
        return False
    return is_secret_value(word, kind)
