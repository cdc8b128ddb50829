"""The parser of CLIPS programs, which may use only listed constructs and functions.

CLIPS gets a text that is rebuilt from the parsed tokens, without comments. A called function that is not listed gets a
prefix that no CLIPS function has. CLIPS refuses this function even if a check here misses it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

CONSTRUCTS = frozenset({"deffacts", "deffunction", "defglobal", "defrule", "deftemplate"})
EPISODE, BEFORE = "episode", "before"
_TURN = ("position", "key", "session", "role", "kind", "speaker", "occurred", "content", "words")
OURS = {
    EPISODE: _TURN,
    BEFORE: _TURN,
    "metadata": ("position", "name", "value"),
    "claim": ("position", "cites", "beside", "subject", "predicate", "object", "mode", "certainty", "rule"),
}
"""The templates of CLIPS facts and their slots: episodes, earlier turns and metadata are input, claims are output."""
FORMS = frozenset({
    "and", "or", "not", "exists", "forall", "test", "logical", "declare", "salience", "slot", "multislot", "type",
    "default", "range", "cardinality", "allowed-symbols", "allowed-strings", "allowed-values", "allowed-integers",
})  # fmt: skip
"""The names that may occur in conditions and templates."""
FUNCTIONS = frozenset({
    "+", "-", "*", "/", "div", "mod", "**", "abs", "min", "max", "integer", "float", "round",
    "=", "<>", "<", ">", "<=", ">=", "eq", "neq",
    "numberp", "integerp", "floatp", "stringp", "symbolp", "lexemep", "multifieldp", "evenp", "oddp",
    "str-cat", "sym-cat", "sub-string", "str-index", "str-length", "str-compare", "upcase", "lowcase", "str-replace",
    "create$", "nth$", "member$", "subsetp", "first$", "rest$", "length$", "explode$", "implode$", "subseq$", "insert$",
    "replace$", "delete$",
    "if", "then", "else", "while", "do", "loop-for-count", "progn", "progn$", "foreach", "bind", "switch", "case",
    "return", "break", "assert", "retract", "modify",
})  # fmt: skip
"""Functions that compute or change facts, without input or output, clock, random numbers or evaluation of text."""
DEEPEST = 50
PREFIX = "my-"

_TOKEN = re.compile(
    r"(?P<space>\s+|;[^\n\r]*)"
    r'|(?P<text>"(?:[^"\\]|\\.)*")'
    r"|(?P<open>\()|(?P<close>\))"
    r"|(?P<variable>\$?\?(?:\*[A-Za-z][\w-]*\*|[A-Za-z][\w-]*)?)"
    r"|(?P<number>[+-]?\d+(?:\.\d+)?(?![\w.-]))"
    r"|(?P<symbol>=>|<-|<=|>=|<>|\*\*|[-+*/=<>&|~:]|[A-Za-z_][\w.-]*\$?)",
    re.DOTALL | re.ASCII,
)
_NAMING = frozenset({"deftemplate", "deffunction", "slot", "multislot"})
_SLOTS = frozenset(slot for slots in OURS.values() for slot in slots)
_LISTED = CONSTRUCTS | FORMS | FUNCTIONS | _SLOTS | frozenset(OURS)


@dataclass(frozen=True, slots=True)
class Token:
    """A token, its kind, and its line."""

    kind: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Program:
    """The constructs of a program, each as a text for CLIPS and the number of its first line.

    If *looks_back* is True, the program uses the turns before a window.
    """

    constructs: tuple[tuple[str, int], ...]
    looks_back: bool = False


def parsed(name: str, text: str) -> tuple[Program, list[str]]:
    """Return the program in *text*, and all its problems, with their lines in the file *name*."""
    tokens, problems = _tokens(text)
    if not problems:
        problems = sorted({*_structure_problems(tokens), *_unlisted_names(tokens)})
    if problems:
        return Program(()), [f"{name}, line {line}: {problem}" for line, problem in problems]
    looks_back = any(one.kind == "open" and two.text == BEFORE for one, two in pairwise(tokens))
    return Program(tuple(_rebuilt(tokens)), looks_back), []


def _tokens(text: str) -> tuple[list[Token], list[tuple[int, str]]]:
    """Return the tokens and the problems of a program.

    One pass reads comments and strings, because a comment may contain quotation marks, and a string semicolons.
    """
    tokens, place, line = list[Token](), 0, 1
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None or "\0" in found[0]:
            return [], [(line, f"no CLIPS that a pack may use: {text[place : place + 20].splitlines()[0]!r}")]
        if found.lastgroup != "space":
            tokens.append(Token(str(found.lastgroup), found[0], line))
        line += found[0].count("\n")
        place = found.end()
    return tokens, []


def _structure_problems(tokens: Sequence[Token]) -> Iterator[tuple[int, str]]:
    """Give the problems with parentheses and with top-level forms, by line."""
    depth = 0
    for place, token in enumerate(tokens):
        if token.kind == "open":
            depth += 1
            if depth == 1 and _at(tokens, place + 1) not in CONSTRUCTS:
                yield token.line, f"expected one of {', '.join(sorted(CONSTRUCTS))}"
            if depth > DEEPEST:
                yield token.line, f"is nested deeper than {DEEPEST}"
                return
        elif token.kind == "close":
            depth -= 1
            if depth < 0:
                yield token.line, "a parenthesis closes what none opened"
                return
        elif depth == 0:
            yield token.line, f"expected a construct, got {token.text[:40]}"
    if depth:
        yield tokens[-1].line, "a parenthesis is not closed"


def _unlisted_names(tokens: Sequence[Token]) -> Iterator[tuple[int, str]]:
    """Give the calls of functions that are neither listed nor defined, and definitions of reserved names, by line."""
    own = {token.text for token in _named(tokens)}
    for token in _named(tokens):
        if token.text in _LISTED and token.text not in _SLOTS:
            yield token.line, f"{token.text} has a meaning already; choose another name"
    for before, token in pairwise(tokens):
        if before.kind == "open" and token.kind == "symbol" and token.text not in _LISTED | own:
            yield (
                token.line,
                f"a pack may not use {token.text}; there is no function, template or slot of this name here",
            )


def _named(tokens: Sequence[Token]) -> Iterator[Token]:
    """Give the names of the program's own templates, slots and functions."""
    for one, two, three in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if one.kind == "open" and two.text in _NAMING and three.kind == "symbol":
            yield three


def _rebuilt(tokens: Sequence[Token]) -> Iterator[tuple[str, int]]:
    """Give each construct with its line. The text of a construct is rebuilt from its tokens."""
    named = {id(token) for token in _named(tokens)}
    parts, depth, line = list[str](), 0, 0
    for before, token in zip([None, *tokens], tokens, strict=False):
        depth += (token.kind == "open") - (token.kind == "close")
        line = line if parts else token.line
        head = id(token) in named or (before is not None and before.kind == "open" and token.kind == "symbol")
        parts.append(PREFIX + token.text if head and token.text not in _LISTED else token.text)
        if depth == 0:
            yield " ".join(parts), line
            parts = []


def _at(tokens: Sequence[Token], place: int) -> str:
    return tokens[place].text if place < len(tokens) else ""
