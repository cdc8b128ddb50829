"""Regular expressions of a pack: RE2, so that no pattern and no text can make them slow."""

import re
from collections.abc import Iterable, Mapping, Sequence

import re2

LONGEST = 8_000
"""Characters of a pattern after its words are filled in."""

_WORD = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}")
_MEMORY_BYTES = 64 * 1024 * 1024
"""The state cache of one set; with RE2's default of 8 MiB a large pack could run out of it."""


def options(*, capture: bool) -> re2.Options:
    """Return how a pack's patterns are compiled: case ignored unless the pattern says `(?-i:…)`."""
    chosen = re2.Options()
    chosen.case_sensitive = False
    chosen.log_errors = False
    chosen.never_capture = not capture
    if not capture:
        chosen.max_mem = _MEMORY_BYTES
    return chosen


def filled(pattern: str, words: Mapping[str, str]) -> str:
    """Return *pattern* with every `{{word}}` put in its place; raises ValueError for an unknown one."""
    for _ in range(8):  # words may use words; eight levels end every circle
        names = set(_WORD.findall(pattern))
        if not names:
            return pattern
        unknown = sorted(name for name in names if not isinstance(words.get(name), str))
        if unknown:
            raise ValueError(f"no such word: {', '.join(unknown)}")
        pattern = _WORD.sub(lambda match: f"(?:{words[match[1]]})", pattern)
        if len(pattern) > LONGEST:
            raise ValueError(f"is longer than {LONGEST} characters with its words filled in")
    raise ValueError("uses words that use each other")


def compiled(pattern: str, words: Mapping[str, str]) -> re2._Regexp:
    """Return the expression; raises ValueError that says what is wrong with it."""
    text = filled(pattern, words)
    try:
        return re2.compile(text, options(capture=True))
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        said = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise ValueError(f"not a regular expression: {said}") from None


class Sieve:
    """Many expressions over one text in a single pass: which of them occur in it at all."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._set = re2.Set.SearchSet(options(capture=False))
        self._size = 0
        for pattern in patterns:
            self._set.Add(pattern)
            self._size += 1
        if self._size:
            self._set.Compile()

    def hits(self, text: str) -> Sequence[int]:
        """Return the numbers of the expressions that occur in *text*, ascending."""
        return sorted(self._set.Match(text) or ()) if self._size else ()
