"""The search of a tenant's texts and messages for names and words to erase."""

import base64
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import partial

from slowwave.domain.erasure import Wanted

_ENCODED = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
_TENANT = re.compile(r"""["']tenant["']\s*:\s*["']([^"']*)["']""")
_DEFAULT_USER = re.compile(r"""["']user["']\s*:\s*["']default["']""")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_BREAK = re.compile(r"\\[nrt]")


def folded(text: str) -> str:
    """Return *text* in the form in which texts are compared: composed, without case, with single spaces.

    >>> folded("Jose\u0301  LIVES") == folded("Jos\u00e9 lives")
    True
    """
    return " ".join(unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold()).split())


def hearing(wanted: Wanted) -> Callable[[object], bool] | None:
    """Return the test of a text for the words of a request, or for the name of the user whom it erases; or None."""
    if wanted.kind == "matching":
        return partial(says, words=wanted.matching)
    if wanted.kind == "user" and wanted.user not in (None, "default"):
        return partial(names, name=wanted.user)
    return None


def says(value: object, words: str | None) -> bool:
    """Return whether a text, or one of the strings in a JSON value, contains *words*.

    >>> says({"notes": ["Paid by Ann\\nSmith"]}, "ann smith")
    True
    """
    sought = folded(words or "")
    return any(sought in folded(text) for text in strings_in(value))


def names(value: object, name: str | None) -> bool:
    """Return whether a text, or one of the strings in a JSON value, contains *name* as a whole word.

    >>> names(["asked by Ann"], "ann"), names(["a plan"], "pla")
    (True, False)
    """
    sought = folded(name or "")
    return any(_word(sought, folded(text)) for text in strings_in(value))


def strings_in(value: object) -> Iterator[str]:
    """Yield every string and number in a JSON value, and the names of fields; a text with escapes also without them."""
    if isinstance(value, str):
        yield value
        if "\\" in value:
            yield unescaped(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, dict):
        yield from value
        for one in value.values():
            yield from strings_in(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from strings_in(one)


def mentions(text: str, wanted: Wanted, tenant: str, *, otherwise: str) -> bool:
    """Return whether *text*, which is a message, belongs to *tenant* and contains a target of *wanted*.

    Parts in base64 are read too. A message without a tenant belongs to the tenant *otherwise*. If the target is a fact,
    the result is False, because messages contain no facts.

    >>> mentions('{"user": "alice", "content": "hi"}', Wanted(user="alice"), "default", otherwise="default")
    True
    >>> mentions('{"tenant": "b", "user": "alice"}', Wanted(user="alice"), "default", otherwise="default")
    False
    >>> mentions('{"tenant": "default", "user": "alice"}', Wanted(user="default"), "default", otherwise="default")
    False
    """
    texts = list(_read(text))
    tenants = {found for text in texts for found in _TENANT.findall(text)} or {otherwise}
    return tenant in tenants and _named(texts, wanted)


def _named(texts: list[str], wanted: Wanted) -> bool:
    whole = "\n".join(texts)
    if wanted.kind == "matching":
        return says(whole, wanted.matching) and _is_of(whole, wanted)
    if wanted.kind == "session":
        return _word(wanted.session or "", whole) and _is_of(whole, wanted)
    return wanted.kind in ("user", "scope") and _is_of(whole, wanted)


def _is_of(whole: str, wanted: Wanted) -> bool:
    """Return whether a message belongs to the user or scope that *wanted* names; True if *wanted* names neither.

    A message may leave out a default agent or channel, but always names its user.
    """
    names = [wanted.user] if wanted.scope is None else [wanted.scope.user, wanted.scope.agent, wanted.scope.channel]
    if names[0] == "default" and not _DEFAULT_USER.search(whole):
        return False
    return all(_word(name, whole) for name in names if name is not None and name not in ("default", "_global"))


def _word(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _read(message: str) -> Iterator[str]:
    """Yield *message* and the decoded base64 parts of *message*, each as it is and without escapes."""
    yield message
    yield unescaped(message)
    for part in _ENCODED.findall(message):
        try:
            text = base64.b64decode(part[: len(part) // 4 * 4]).decode("utf-8", "ignore")
        except ValueError:
            continue
        yield text
        yield unescaped(text)


def unescaped(text: str) -> str:
    """Return *text*, which is or contains JSON, with the characters instead of their escapes."""
    plain = _BREAK.sub(" ", text.replace('\\"', '"'))
    units = _ESCAPED.sub(lambda code: chr(int(code[1], 16)), plain)
    return units.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
