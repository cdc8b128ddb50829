"""Payment card numbers in a text: of a known issuer, with its length and a valid check digit."""

import re
from collections.abc import Iterator

from slowwave.core.masking.spans import Span

_NUMBER = re.compile(
    r"(?<![\w+.-])(?<![A-Z]{2}\d\d )"
    r"(?P<number>\d{4}(?:[ -]?\d{4}){3}(?:[ -]?\d{3})?|\d{4}[ -]?\d{6}[ -]?\d{4,5})(?![\w-])"
)
"""Card numbers as they are printed: groups of four, or four, six and the rest. An IBAN starts with a country and two
digits."""
_ISSUED = re.compile(
    r"4(?:\d{15}|\d{18})"  # Visa
    r"|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}"  # Mastercard
    r"|3[47]\d{13}"  # American Express
    r"|3(?:0[0-5]|[689]\d)\d{11}"  # Diners Club
    r"|35(?:2[89]|[3-8]\d)\d{12}"  # JCB
    r"|6(?:011|4[4-9]\d|5\d\d|2\d\d|3\d\d|7\d\d)\d{12}(?:\d{3})?"  # Discover, UnionPay, Maestro
)


def cards(text: str) -> Iterator[Span]:
    """Give the spans of payment card numbers in *text*."""
    for found in _NUMBER.finditer(text):
        digits = re.sub(r"\D", "", found["number"])
        if _ISSUED.fullmatch(digits) and _checks(digits):
            yield Span(*found.span("number"), "card number")


def _checks(digits: str) -> bool:
    """Return whether the last of *digits* is a valid Luhn check digit."""
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return sum(number // 10 + number % 10 for number in doubled) % 10 == 0
