"""Regular expressions of a pack, run by RE2. No pattern and no text can make RE2 slow."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import re2

LONGEST = 8_000
"""The maximum number of characters of a pattern after its words are filled in."""

MOST_WORK = 1_800_000
"""The largest total of characters and instructions in the patterns of a pack. They take two seconds to compile."""
LARGEST = 1024 * 1024
"""The maximum number of bytes of one compiled pattern."""
_WRONG = MOST_WORK // 50  # the cost of a rejected pattern, which is compiled until it is too large
_WORK_OF_SCRIPTS = 1_500
"""The cost of a class of letters of all scripts, such as `\\pL`, which has many ranges."""
_WORK_OF_OTHERS = 100
"""The cost of a negated class of words, digits or blanks."""
_WORK_OF_A_PAIR = 0.015
"""The cost of a pair of optional repetitions; `a{1,20}` has nineteen repetitions. RE2 connects each repetition with
every other.
"""

_SCRIPTS, _OTHERS = re.compile(r"\\[pP]"), re.compile(r"\\[WDS]")
_REPEATED = re.compile(r"\{(\d{1,4}),(\d{1,4})\}")
_GROUP = re.compile(r"\(\?P?<(\w+)>")
_WORD = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}")
_LOOKED_AROUND = re.compile(r"\(\?(?:<?[=!])[^()]*(?:\([^()]*\)[^()]*)?\)")
"""Lookarounds, which RE2 does not support."""


def options() -> re2.Options:
    """Return the compile options of a pack's patterns. Case is ignored unless the pattern has `(?-i:…)`."""
    chosen = re2.Options()
    chosen.case_sensitive = False
    chosen.log_errors = False
    return chosen


def filled(pattern: str, words: Mapping[str, str]) -> str:
    """Return *pattern* with every `{{word}}` filled in. Raises ValueError for an unknown word."""
    for _ in range(8 if len(pattern) <= LONGEST else 0):  # words may use words; eight levels end every circle
        names = set(_WORD.findall(pattern))
        if not names:
            return pattern
        unknown = sorted(name for name in names if not isinstance(words.get(name), str))
        if unknown:
            raise ValueError(f"no such word: {', '.join(unknown)}")
        if _length(pattern, words) > LONGEST:
            break
        pattern = _WORD.sub(lambda match: f"(?:{words[match[1]]})", pattern)
    if _length(pattern, words) > LONGEST:
        raise ValueError(f"is longer than {LONGEST} characters with its words filled in")
    raise ValueError("uses words that use each other")


def _length(pattern: str, words: Mapping[str, str]) -> int:
    return len(pattern) + sum(len(words.get(name, "")) - len(name) for name in _WORD.findall(pattern))


class Compiler:
    """A compiler of the patterns of one pack, up to a limit on their total size.

    Patterns may contain `{{word}}` for each of *words*.
    """

    def __init__(self, words: Mapping[str, str]) -> None:
        self._words, self._work = words, 0
        self._shared: dict[str, str] = {}

    def shared(self, pattern: str) -> str:
        """Return *pattern* as `checked` does, but count a pattern only once if several rules share it."""
        if pattern not in self._shared:
            self._shared[pattern] = self.checked(pattern)
        return self._shared[pattern]

    def checked(self, pattern: str) -> str:
        """Return *pattern* with its words filled in. Raises ValueError with the problem of the pattern."""
        self._spend(_WRONG)
        text = filled(pattern, self._words)
        self._spend(len(text) + _work_before(text))
        self._work += compiled(text, LARGEST).programsize - _WRONG
        return text

    def _spend(self, work: int) -> None:
        self._work += work
        if self._work > MOST_WORK + _WRONG:
            raise ValueError(f"the patterns of a pack may have at most {MOST_WORK} characters and instructions")


def _work_before(pattern: str) -> int:
    """Return the cost of compiling *pattern* beyond the cost that its length and its compiled size show."""
    optional = sum(max(0, int(most) - int(least)) for least, most in _REPEATED.findall(pattern))
    classes = _WORK_OF_SCRIPTS * len(_SCRIPTS.findall(pattern)) + _WORK_OF_OTHERS * len(_OTHERS.findall(pattern))
    return classes + int(_WORK_OF_A_PAIR * optional**2)


def compiled(pattern: str, largest: int | None = None) -> re2._Regexp:
    """Return the compiled expression, of at most *largest* bytes. Raises ValueError with the problem of the pattern."""
    chosen = options()
    chosen.max_mem = largest or chosen.max_mem
    try:
        return re2.compile(pattern, chosen)
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        message = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        text = ": RE2 has no lookahead or lookbehind; put excluded text in `unless`" if "(?" in message else ""
        raise ValueError(f"not a regular expression: {message}{text}") from None


def group_names(pattern: str) -> set[str]:
    """Return the names of a pattern's groups."""
    return set(_GROUP.findall(pattern))


class PatternSet:
    """Many expressions for one text.

    A search for substrings that the expressions require selects the expressions to try.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        self._filter = re2.Filter()
        self.expressions: list[re2._Regexp] = []
        numbers = [self._filter.Add(pattern, options()) for pattern in patterns]
        if numbers:
            self._filter.Compile()
            self.expressions = [self._filter.re(number) for number in numbers]

    @property
    def always(self) -> bool:
        """True if an expression requires no substring. Such an expression may match any text."""
        return bool(self.candidates(""))

    def candidates(self, text: str) -> Sequence[int]:
        """Return the numbers of the expressions that may match *text*, ascending.

        Expressions that do not match may be included.
        """
        return sorted(self._filter.Match(text, potential=True) or ()) if self.expressions else ()

    def hits(self, text: str) -> Sequence[int]:
        """Return the numbers of the expressions that match *text*, ascending."""
        return sorted(self._filter.Match(text) or ()) if self.expressions else ()


class QuickTest:
    """A quick test that tells whether a Python expression may match a text, in a tenth of the time of a match.

    Lookarounds are ignored. Therefore the test may give false positives, but no false negatives. The test is always
    true for a text that is not plain ASCII, because the two engines define words differently in such a text.
    """

    def __init__(self, expression: re.Pattern[str]) -> None:
        plain = _LOOKED_AROUND.sub("", expression.pattern)
        self._expression, self._pattern_set = expression, PatternSet([plain])
        self._beginnings = compiled(_GROUP.sub("(?:", plain))

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Give the matches in *text*, without empty matches. The expression is tried only where a match may begin.

        >>> days = QuickTest(re.compile("(?i)(?<=on )(?:mon|tues)day"))
        >>> [found.span() for found in days.finditer("Monday, on monday")]
        [(11, 17)]
        """
        if not text.isascii():
            yield from self._expression.finditer(text)
            return
        at = 0
        while place := self._beginnings.search(text, at):
            found = self._expression.match(text, place.start())
            if found:
                yield found
            at = found.end() if found else place.start() + 1

    def in_(self, text: str) -> bool:
        """Return whether the expression may match *text*.

        >>> quick_test = QuickTest(re.compile(r"(?i)(?<=on )(?:mon|tues)day(?=\\W|$)"))
        >>> [quick_test.in_(text) for text in ("on Monday", "a Mondayish day", "a day", "täglich")]
        [True, True, False, True]
        """
        return not text.isascii() or bool(self._pattern_set.hits(text))
