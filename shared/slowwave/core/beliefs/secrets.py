"""Secrets that people tell in passing: passwords, keys and card numbers, which nobody is to remember."""

import re

from slowwave.domain.claim import Claim

_NAMED = re.compile(
    r"\b(?:pass ?(?:word|code|phrase)|pwd|pin(?: code| number)?|secret(?: key)?|api[ _-]?key|access[ _-]?(?:key|token)"
    r"|token|private key|cvv|cvc|security code|seed phrase)\b[^.!?\n]{0,40}?(?:\bis\b|\bto\b|[:=])\s*"
    r"[\"'`]?(?P<value>[^\s\"'`]{3,})",
    re.IGNORECASE,
)
_SHAPED = re.compile(
    r"\b(?:sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{12,}"
    r"|AIza[A-Za-z0-9_-]{20,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})"
    r"|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----"
)
_LONG = re.compile(r"(?<![\w/+=-])[A-Za-z0-9_+/=-]{24,200}(?![\w/+=-])")
_DIGITS = re.compile(r"(?<![\d-])\d(?:[ -]?\d){12,18}(?![\d-])")


def tells_secret(text: str) -> bool:
    """Return whether *text* tells a password, a key or the number of a card.

    >>> tells_secret("my wifi password is hunter22"), tells_secret("4111 1111 1111 1111")
    (True, True)
    >>> tells_secret("I forgot my password again"), tells_secret("call 4111 1111 1111 1112")
    (False, False)
    """
    if any(_is_value(found["value"]) for found in _NAMED.finditer(text)) or _SHAPED.search(text):
        return True
    if any(_random(found[0]) for found in _LONG.finditer(text)):
        return True
    return any(_luhn(re.sub(r"\D", "", found[0])) for found in _DIGITS.finditer(text))


def secret(claim: Claim) -> bool:
    """True for a claim that tells a password, a key or a card number, which is never believed."""
    return tells_secret(claim.text) or tells_secret(f"{claim.predicate.replace('_', ' ')}: {claim.object}")


def _is_value(word: str) -> bool:
    """True for a word that is a secret and no word of a sentence: `the password is on the wall`."""
    bare = word.rstrip(".,;!?)")
    return any(character.isdigit() for character in bare) or not bare.isalpha() or not bare.islower()


def _random(word: str) -> bool:
    kinds = (str.isupper, str.islower, str.isdigit)
    return all(any(kind(character) for character in word) for kind in kinds) and sum(map(str.isdigit, word)) >= 3


def _luhn(digits: str) -> bool:
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return len(set(digits)) > 1 and sum(number // 10 + number % 10 for number in doubled) % 10 == 0
