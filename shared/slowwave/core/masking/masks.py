"""Masks of texts, of JSON values, and of episodes."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import re2

from slowwave.core.masking.formats import COMMANDS, NAMES, cards, named, shaped, stored_secrets
from slowwave.core.masking.phrases import phrases, single_words
from slowwave.core.masking.sentences import private, stated_secrets
from slowwave.core.masking.spans import MASK, Kind, Span, apart, assigned, mask_of, outside_masks
from slowwave.core.masking.words import ANY_CUE, cues_in
from slowwave.domain.episode import Episode
from slowwave.domain.limits import TRACEPARENT
from slowwave.errors import Incorrect

Secrets = Literal["mask", "keep"]
"""The treatment of secrets in input."""
Kinds = tuple[Kind, ...]
"""The kinds of the masked secrets, each once, in alphabetical order."""

_SCANNED = re2.compile(
    f"{ANY_CUE}|(?i:{NAMES})|{COMMANDS}|(?i:n't (?:you )?(?:go |be )?(?:keep|sav|stor|not|writ|rem|rec|log)"
    r"|(?:not|never) (?:keep|sav|stor|not|writ|rem|rec|log)|session only|eyes only)"
    r"|PRIVATE|[[:alpha:]][!$#][[:alnum:]]|\d{4}[ -]\d{4}|\d[\w+/=-]{6}|[\w+/=-]{6}\d"
)
"""A quick test: every text with a secret matches it. A word of 13 characters with a digit has six on one side of it."""
_HALVES = re.compile("[\ud800-\udfff]")
"""Lone surrogates, which RE2 cannot read."""
_UNREAD = frozenset({"speaker", TRACEPARENT})
"""Metadata fields that are names, and are not masked."""
_FIELD = re.compile(r"(?P<mark>\\{0,3}\")\s{0,4}:\s{0,4}\Z")
"""The end of a name in JSON, before an unquoted value."""
_DEEPEST = 64
"""The number of nesting levels whose values are masked one by one. Deeper values are masked as JSON text."""
_MOST_ROUNDS = 5
"""The maximum number of times that a text is scanned. It is scanned again because a mask may expose another secret."""


def masked(text: str, *, guess: bool = True) -> tuple[str, Kinds]:
    """Return *text* with a mask for each secret, and the kinds of the masked secrets.

    With *guess*, a long random word counts as a key. Without *guess*, only secrets with a name or a known format are
    masked.

    >>> masked("the wifi password is hunter22, call me")
    ('the wifi password is [password masked], call me', ('password',))
    """
    kinds: list[Kind] = []
    if _may_have_secret(text):
        for _ in range(_MOST_ROUNDS):
            spans = _spans(text, guess=guess)
            if not spans:
                break
            kinds += [span.kind for span in spans]
            text = _replaced(text, spans)
    return text, tuple(sorted(kinds))


def tells_secret(text: str) -> bool:
    """Return whether *text* contains a secret, such as a password, a key or a card number, or the mask of a secret.

    >>> tells_secret("my wifi password is hunter22"), tells_secret("I forgot my password again")
    (True, False)
    """
    return bool(MASK.search(text) or (_may_have_secret(text) and _spans(text, guess=True)))


@dataclass(frozen=True, slots=True)
class Masking:
    """The masking of secrets. With *keeps*, it changes no text."""

    keeps: bool = False

    def text(self, text: str) -> str:
        """Return *text* masked."""
        return text if self.keeps else masked(text)[0]

    def value(self, value: Any) -> Any:
        """Return a JSON *value* in which secrets in texts, and values under names of secrets, are masked."""
        return value if self.keeps else _value(value, [])

    def episode(self, episode: Episode) -> tuple[Episode, Kinds]:
        """Return *episode* with its content and metadata masked, and the kinds of the masked secrets.

        Its names (key, session, speaker) are not masked. Raises `Incorrect` if the masks make it too long.
        """
        if self.keeps:
            return episode, ()
        content, kinds = masked(episode.content)
        beside: list[Kind] = []
        metadata = _value(episode.metadata, beside) if episode.metadata else episode.metadata
        if not kinds and not beside:
            return episode, ()
        masked_episode = Episode(**{**episode.__dict__, "content": content, "metadata": metadata})
        return masked_episode, tuple(sorted((Counter(kinds) | Counter(beside)).elements()))

    def refuse(self, value: Any, what: str) -> None:
        """Raise `Incorrect`, which names *what*, if a JSON *value* contains a secret. A mask would make a belief
        useless.
        """
        kinds: list[Kind] = []
        if not self.keeps and _value(value, kinds) != value:
            raise Incorrect.listing(
                what,
                [f"tells a secret ({kind})" for kind in sorted(set(kinds))],
                hint="remove the secret, or set SLOWWAVE_SECRETS=keep",
            )


MASKING, KEEP = Masking(), Masking(keeps=True)


def masking(secrets: Secrets) -> Masking:
    """Return the masking for this value of SLOWWAVE_SECRETS."""
    return KEEP if secrets == "keep" else MASKING


def _may_have_secret(text: str) -> bool:
    return bool(_SCANNED.search(text if text.isascii() else _HALVES.sub("\ufffd", text)))


def _spans(text: str, *, guess: bool) -> list[Span]:
    text = text if text.isascii() else _HALVES.sub("\ufffd", text)
    cues = cues_in(text)
    stated = chain(stated_secrets(text, cues), phrases(text, cues), single_words(text, cues))
    spans = chain(stated, stored_secrets(text), private(text), shaped(text, guess=guess), cards(text))
    return outside_masks(text, apart(spans))


def _replaced(text: str, spans: list[Span]) -> str:
    """Return *text* with a mask in place of each of *spans*; an unquoted JSON value becomes a quoted one."""
    parts, at = [], 0
    for start, end, kind in spans:
        before = _FIELD.search(text, max(0, start - 12), start)
        mark = before["mark"] if before else ""
        parts += [text[at:start], mark, mask_of(kind), mark]
        at = end
    return "".join([*parts, text[at:]])


def _value(value: Any, kinds: list[Kind], name: str = "", depth: int = 0) -> Any:
    kind = named(name) if name else None
    if isinstance(value, str):
        if kind and assigned(value, kind, quoted=True):
            kinds.append(kind)
            return mask_of(kind)
        text, found = masked(value, guess=False)
        kinds += found
        return text
    if isinstance(value, Mapping | list | tuple) and depth == _DEEPEST:
        text, found = masked(json.dumps(value, ensure_ascii=False), guess=False)
        kinds += found
        return json.loads(text)
    if isinstance(value, Mapping):
        return {
            key: inner if key in _UNREAD else _value(inner, kinds, key if isinstance(key, str) else "", depth + 1)
            for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [_value(inner, kinds, name, depth + 1) for inner in value]
    if kind in ("PIN", "password", "code") and isinstance(value, int) and not isinstance(value, bool):
        kinds.append(kind)
        return mask_of(kind)
    return value
