"""Secrets of a known format: keys, tokens, and passwords in URLs.

The formats are those of `detect-secrets` (Yelp), see `ops/decisions/secrets.md`: the regular expressions of its
plugins, compiled again with RE2, which no text can make slow. Its guesses (a name beside a value, high entropy, any
public IP address) are not used: they are for code, and in conversation they hide ordinary text. A few formats that it
lacks are added here.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import re2

from slowwave.core.masking.spans import Kind, Span
from slowwave.core.masking.values import assigned, looks

_ROW = re.compile(r"[A-Za-z0-9_+/=-]{13,}")
"""Every format of the detector contains such a run with a digit, except those of `_OTHERS`."""
_OTHERS = re2.compile(r"://[^/\s]*@|PRIVATE KEY|PuTTY")
_BLOCK = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]{0,40}-----|\Z)"
)
_LACKING: tuple[tuple[str, Kind], ...] = (
    (r"\bsk-[A-Za-z0-9_-]{16,}", "key"),
    (r"\bAIza[A-Za-z0-9_-]{20,}", "key"),
    (r"\bAKIA[0-9A-Z]{12,}", "key"),
    (r"\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}", "key"),
    (r"\b(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{20,}", "token"),
    (r"\bxox[abeprs]-[A-Za-z0-9-]{10,}", "token"),
    (r"\bhf_[A-Za-z0-9]{30,}", "token"),
    (r"\bnpm_[A-Za-z0-9]{30,}", "token"),
    (r"\bya29\.[A-Za-z0-9_-]{20,}", "token"),
    (r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)*", "token"),
    (r"\b[a-z]{2,6}_(?:pat|key|token|secret|sk)_[A-Za-z0-9_-]{20,}", "token"),
    (r"\b[Bb]earer [A-Za-z0-9._~+/-]{16,}=*", "token"),
)
_LONG = re.compile(
    r"(?<!base64,)(?<![\w/+=.&?-])(?:(?![a-z0-9]{1,12}[_-])[A-Za-z0-9_+/-]{24,200}={0,2}"
    r"|(?!(?:call|msg|toolu?|req|run|resp|evt|cus|sub|price|prod|acct|conv|user|org|team|proj|item|step|job|task|order|file|chat"
    r"|sess|trace|span|page)_)[a-z]{2,5}_[A-Za-z0-9]{20,200})(?![\w/+=-])"
)
"""A long word: a random one is a key, unless it starts like a public id (`call_…`, `msg-…`)."""
_TYPED = re2.compile(r"[[:alpha:]][!$#][[:alnum:]]")
_BY_HAND = re.compile(
    r"(?<![\w.$#/@&=:-])(?=[\w.-]{1,30}[!$#]\w)(?=\S{0,40}?\d)(?=\S{0,40}?[A-Z])(?=\S{0,40}?[^\W\d_]{4})[\w!$#.-]{8,40}"
    r"(?<![.!-])(?![\w/(\[=@:$])"
)
"""A password as people make them up, with a capital, a sign and a digit: nothing else looks like it."""
_ID = re.compile(r"(?:\bid|_id|[a-z]Id|[a-z]ID|hash|sha\d*|digest|signature)\W{0,6}\Z")
_TOKENS = frozenset({
    "DiscordBotTokenDetector", "GitHubTokenDetector", "GitLabTokenDetector", "JwtTokenDetector", "NpmDetector",
    "PypiTokenDetector", "SlackDetector", "SquareOAuthDetector", "TelegramBotTokenDetector",
})  # fmt: skip
_ABOUT = frozenset({"GitHubTokenDetector", "GitLabTokenDetector"})
"""Detectors whose expressions have groups within the secret, not around it."""
_AROUND = re.compile(re.escape(r"(?:(?<=\W)|(?<=^))"))
_AHEAD = re.compile(r"\(\?![^()]*\)")
_GUESSES = frozenset({
    "Base64HighEntropyString", "HexHighEntropyString", "IPPublicDetector", "KeywordDetector", "PrivateKeyDetector",
})  # fmt: skip


def shaped(text: str, *, guess: bool) -> Iterator[Span]:
    """Give the spans of keys and tokens of a known format in *text*; with *guess*, also of long random words."""
    rows = any(any(map(str.isdigit, row[0])) for row in _ROW.finditer(text))
    others = _OTHERS.search(text)
    if others:
        yield from (Span(found.start(), found.end(), "key") for found in _BLOCK.finditer(text))
    if rows or others:
        for expression, kind, around in _expressions():
            for found in expression.finditer(text):
                group = (found.lastindex or 0) if around else 0
                if span := _whole(text, found.start(group), found.end(group), kind):
                    yield span
    if guess and _TYPED.search(text):
        yield from (Span(*found.span(), "password") for found in _BY_HAND.finditer(text) if looks(found[0]) == "odd")
    if rows and guess:
        for found in _LONG.finditer(text):
            if _random(found[0]) and not _ID.search(text, max(0, found.start() - 20), found.start()):
                yield Span(*found.span(), "key")


@cache
def _expressions() -> tuple[tuple[Any, Kind, bool], ...]:
    """Return the detector's expressions and ours, each with the kind of secret and whether a group marks it.

    Importing the detector takes a third of a second, so it is imported when a text first looks like a secret.
    """
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class  # it reads no repository
    from detect_secrets.plugins.base import RegexBasedDetector

    found: list[tuple[Any, Kind, bool]] = [(re2.compile(pattern), kind, False) for pattern, kind in _LACKING]
    plugins: dict[str, type[Any]] = dict(get_mapping_from_secret_type_to_class())
    for plugin in plugins.values():
        name = plugin.__name__
        if name in _GUESSES or RegexBasedDetector not in plugin.__mro__:
            continue
        kind: Kind = "password" if name == "BasicAuthDetector" else "token" if name in _TOKENS else "key"
        found += [(_linear(expression), kind, name not in _ABOUT) for expression in plugin.denylist]
    return tuple(found)


def _linear(expression: "re.Pattern[str]") -> Any:
    """Return a detector's expression for RE2, which has no lookaround: `_whole` checks the surroundings instead."""
    pattern = _AROUND.sub(r"(?:^|\\W)", expression.pattern).replace(",1024}", ",}")  # RE2 counts no further than 1000
    pattern = _AHEAD.sub("", pattern)
    return re2.compile(f"(?i){pattern}" if expression.flags & re.IGNORECASE else pattern)


def _whole(text: str, start: int, end: int, kind: Kind) -> Span | None:
    """Return the span extended to its whole word, without the surrounding characters; None within another word."""
    while start < end and not (text[start].isalnum() or text[start] in "_-"):
        start += 1
    while start < end and not (text[end - 1].isalnum() or text[end - 1] in "_-+/="):
        end -= 1
    if kind != "password":
        if start and text[start - 1].isalnum():
            return None
        while end < len(text) and (text[end].isalnum() or text[end] in "_-"):
            end += 1
        if not any(map(str.isdigit, text[start:end])):
            return None
    elif not assigned(text[start:end], kind, quoted=True):
        return None
    return Span(start, end, kind) if start < end else None


def _random(word: str) -> bool:
    kinds = (str.isupper, str.islower, str.isdigit)
    return all(any(map(kind, word)) for kind in kinds) and sum(map(str.isdigit, word)) >= 3
