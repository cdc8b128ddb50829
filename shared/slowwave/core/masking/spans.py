"""Spans of secrets in a text, their masks, and the distinction between secret values and ordinary words."""

import re
from bisect import bisect_left
from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeVar, get_args

from slowwave.word_lists import patterns

Kind = Literal["password", "PIN", "code", "key", "token", "card number"]
"""The kind of a secret, as its mask names it."""

PATTERNS = patterns("secrets")
"""The lists of `secrets.txt`, by name."""
MASK = re.compile(rf"\[(?:{'|'.join(get_args(Kind))}) masked\]")
"""The pattern of a mask; text in a mask is not a secret."""
Shape = Literal["odd", "strong", "plain", "words", "digits", "turns"]
"""How a value looks: `Xk4$wP9`, `Spurs4Ever`, `kolam1957`, `silver-badger-mint`, `4711`, `3 left, 17 right`."""
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
_ODD = re.compile(r"\w[!$#%&*+?^~@|]\w")
_LIKE_A_KEY = re.compile(
    r"(?=[A-Z\d-]*(?:[A-Z]\d|\d[A-Z]))[A-Z\d]{3,8}(?:-[A-Z\d]{3,8})+|(?=\S*[A-Z])[\w+/=-]{16,}|[\da-f]{32,}", re.ASCII
)
_FILE = PATTERNS["files"]
_NO_VALUE = re.compile(
    rf"[^@\s]+@[\w-]+\.[\w.-]+|[\w.+-]*\.(?:{_FILE})|(?:www\.|/|--).*|0x\w+|#\w+|[a-z-]+/\S+#\d+|.*\d\.\d.*"
    r"|(?:sha|md|aes|rsa|ipv|python|php|html|https?|oauth|utf|base|windows|usb|mp|covid-?|iphone|ps|rtx|ios|uuid)\d+\w?"
    r"|wpa\d?-\w+|\d{1,3}[a-z]{1,4}|1password|[a-z]{1,3}\d{1,3}|[pbcu]0\d{3}|[a-z][1-9]\d[a-z]{3,}|.*[(\[{].*|.*%[0-9a-f]{2}.*"
    r"|\d[\d.,:/–-]*|(?:us|eu|ap|sa|ca)-\w+-\d|(?:issue|ticket|bug|pr|order|item)#\d+",
    re.IGNORECASE,
)
"""Addresses, files, versions, amounts, names of products, program code."""
_UNITS = re.compile(rf"[ -]{{0,2}}(?:{PATTERNS['units']})(?![\w'’])", re.IGNORECASE)


class Span(NamedTuple):
    """A secret of a *kind*, at the characters from *start* to *end* in a text."""

    start: int
    end: int
    kind: Kind


Place = TypeVar("Place", bound=tuple[int, int, str])
"""A named tuple that begins with the start and the end of a span."""


def outside_masks(text: str, places: Iterable[Place]) -> list[Place]:
    """Return those of *places* that overlap no mask in *text*."""
    masks = [found.span() for found in MASK.finditer(text)]
    if not masks:
        return list(places)
    return [one for one in places if not (at := bisect_left(masks, (one[1],))) or masks[at - 1][1] <= one[0]]


def mask_of(kind: Kind) -> str:
    """Return the mask for a secret of *kind*.

    >>> mask_of("password")
    '[password masked]'
    """
    return f"[{kind} masked]"


def apart(spans: Iterable[Span]) -> list[Span]:
    """Return *spans* in order. Overlapping spans are merged, and get the kind of the first of them."""
    found: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        if found and span.start < found[-1].end:
            found[-1] = found[-1]._replace(end=max(found[-1].end, span.end))
        else:
            found.append(span)
    return found


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


def looks(word: str) -> Shape | None:
    """Return how *word* looks if it could be a secret; None for an ordinary word.

    >>> looks("Xk4$wP9"), looks("Spurs4Ever"), looks("kolam1957"), looks("silver-badger-mint"), looks("4711#")
    ('odd', 'strong', 'plain', 'words', 'digits')
    >>> looks("kolam"), looks("photo2.jpg"), looks("24h"), looks("SHA256")
    (None, None, None, None)
    """
    if re.fullmatch(r"[#*]?\d{4,8}[#*]?|\d{20}", word):
        return "digits"
    if len(word) < 3 or MASK.search(word) or any(no.fullmatch(word) for no in (_STAND_IN, _NO_SECRET, _NO_VALUE)):
        return None
    letters, digits = sum(map(str.isalpha, word)), sum(map(str.isdigit, word))
    capitals = any(map(str.isupper, word[1:])) and not word.isupper()
    if _ODD.search(word) and letters >= 2 and len(word) >= 6 and (digits or capitals):
        return "odd"
    lower = re.search(r"[a-zß-ÿ]{3}", word)
    leet = lower and len(word) >= 8 and letters >= 5 and re.search(r"[A-Za-zß-ÿ]\d+[A-Za-zß-ÿ]", word)
    camel = len(word) >= 9 and re.search(r"[a-z][A-Z]", word)
    joined = lower and len(word) >= 10 and re.search("[A-Z]", word) and re.search(r"\w[-_.]\w", word)
    if digits and letters >= 2 and (leet or camel or joined or (_LIKE_A_KEY.fullmatch(word) and len(word) >= 7)):
        return "strong"
    if letters and (digits or _ODD.search(word) or (capitals and re.search(r"[a-z][A-Z]", word))):
        return "plain"
    return "words" if re.fullmatch(r"[^\W\d_]{2,}(?:-[^\W\d_]{2,}){2,}", word) else None


def amount(after: str) -> bool:
    """Return whether the text *after* a number begins with a unit, so that the number is an amount.

    >>> amount(" euros for it"), amount(" and then")
    (True, False)
    """
    return bool(_UNITS.match(after))
