"""The search of a tenant's messages for names and words to erase."""

import base64
import re
from collections.abc import Iterator

from slowwave.domain.erasure import Wanted

_ENCODED = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
_TENANT = re.compile(r"""["']tenant["']\s*:\s*["']([^"']*)["']""")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


def mentions(text: str, wanted: Wanted, tenant: str, *, otherwise: str) -> bool:
    """Return whether *text*, which is a message, belongs to *tenant* and contains a target of *wanted*.

    Parts in base64 are read too. A message without a tenant belongs to the tenant *otherwise*. If the target is a fact,
    the result is False, because messages contain no facts.

    >>> mentions('{"user": "alice", "content": "hi"}', Wanted(user="alice"), "default", otherwise="default")
    True
    >>> mentions('{"tenant": "b", "user": "alice"}', Wanted(user="alice"), "default", otherwise="default")
    False
    """
    texts = list(_read(text))
    tenants = {found for text in texts for found in _TENANT.findall(text)} or {otherwise}
    return tenant in tenants and _named(texts, wanted)


def _named(texts: list[str], wanted: Wanted) -> bool:
    whole = "\n".join(texts)
    if wanted.kind == "matching":
        found = (wanted.matching or "").casefold() in whole.casefold()
        return found and _is_of(whole, wanted)
    if wanted.kind == "session":
        return _word(wanted.session or "", whole) and _is_of(whole, wanted)
    return wanted.kind in ("user", "scope") and _is_of(whole, wanted)


def _is_of(whole: str, wanted: Wanted) -> bool:
    """Return whether a message belongs to the user or scope that *wanted* names; True if *wanted* names neither."""
    names = [wanted.user] if wanted.scope is None else [wanted.scope.user, wanted.scope.agent, wanted.scope.channel]
    return all(_word(name, whole) for name in names if name is not None and name not in ("default", "_global"))


def _word(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _read(message: str) -> Iterator[str]:
    """Yield *message* without escapes, and then the decoded base64 parts of *message*."""
    yield _ESCAPED.sub(lambda code: chr(int(code[1], 16)), message.replace('\\"', '"'))
    for part in _ENCODED.findall(message):
        try:
            text = base64.b64decode(part[: len(part) // 4 * 4]).decode("utf-8", "ignore")
        except ValueError:
            continue
        yield _ESCAPED.sub(lambda code: chr(int(code[1], 16)), text)
