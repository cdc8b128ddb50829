"""Secrets in sentences: values that look like secrets, near words that announce one (*cues*).

A value that looks less like a word needs only a weaker cue. Bare digits need a word such as `code` or `locker`, and a
link such as `is` or `with` before them.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import re2

from slowwave.core.masking import words as lexicon
from slowwave.core.masking.formats import is_of_field
from slowwave.core.masking.spans import PATTERNS, Kind, Shape, Span, amount, assigned, looks

_REACH, _FAR = 160, 240
"""The maximum number of characters between a cue and its value; and between a question or a PIN and a number."""
_DIGIT = PATTERNS["digits"]
_SIDE = r"(?:left|right|links|rechts|izquierda|derecha|gauche|droite|sinistra|destra|esquerda|direita|[lr]\b)"
_TURN = rf"(?:\d\d?[ ]?{_SIDE}|{_SIDE}(?:[ ](?:to|auf|bis|a|à|tot))?[ ]?\d\d?)\b"
_VALUE = re.compile(
    rf"(?P<spoken>(?<![\w-])(?:{_DIGIT})(?:(?:[ -]|,[ ])(?:{_DIGIT})\b){{2,9}}(?![\w-]))"
    rf"|(?P<turns>\b{_TURN}(?:[ ]?[,;/–-]?[ ](?:(?:then|and|dann|und|y|et|e|en)[ ])?{_TURN}){{1,4}})"
    r"|(?P<digits>(?<![\w.,:/£$€+-])(?:\d{1,2}(?:[ -]\d{1,2}){2,7}|\d{2,4}(?:[ -]\d{2,4}){1,7}|[\#*]?\d{3,8})"
    r"[#*]{0,2}(?![\w%€£$°/@-]|[.,:]\d|[ ]?[ap]\.?m\b))"
    r"|(?P<token>(?<![\w.@])(?=\S{0,63}?(?:\d|\w[!$#%&*+?^~_@]\w|(?-i:[a-z][A-Z])|-\w+-))"
    r"[^\s\"“”„«»`<>|;\\]{3,200})"
    r"|(?P<quoted>(?<=[\"'`“„«‘])[^\W\d_]{3,40}(?=[\"'`”“»’](?!\w)))",
    re.IGNORECASE | re.VERBOSE,
)
_MAY_TELL = re2.compile(
    rf"\d|\w[!$#%&*+?^~_@]\w|[a-z][A-Z]|-\w+-|[\"'`“„«‘][[:alpha:]]{{3,40}}[\"'`”“»’]"
    rf"|(?i:\b(?:{_DIGIT})[, -]{{1,2}}(?:{_DIGIT})[, -]{{1,2}}(?:{_DIGIT})\b)"
    r"|(?i: (?:as|como|als|comme|come) )"
)
"""A quick test: a text with a value matches it."""
_AS = re.compile(
    r"\b(?:us(?:e|ed|o|é)|set|put|pick(?:ed)?|cho(?:se|ose)|typed?|made|puse|nehme|nahm|mis|choisi|messo|scelto"
    r"|pus|koos) "
    r"[\"'`“‘]?(?P<value>[^\s\"'`”’,.;:]{5,40})[\"'`”’]? (?:as|como|als|comme|come) [^.!?\n]{0,70}\Z",
    re.IGNORECASE,
)
"""A verb whose object is used `as the master password`."""
_STOP = re.compile(r"[.!?…]+[\"'”»)]*\s|\n")
_HEAD = re.compile(r"(?:[^\W\d][\w.+@-]{0,59}[:=])+(?=.)")
"""Names before a value: `bob:passw0rd`."""
_TAIL = re.compile(r"&\w+=.*|,.*|[.:!?)\]}'’*…]+$")
"""The end of a value: the next field of a URL, or punctuation."""
_CHANGED = re2.compile(
    r"(?i)\b(?:chang|set\b|reset|updat|switch|swap|änder|geänd|gesetzt|geset|cambi|remplac|reemplaz|wijzig"
    r"|verander|mud[eo]|troq"
    r"|troc|pass|is |goes |spin|turn|dial|dreh|gir|tourn|draai)"
)
_PAIR = re.compile(
    r"(?:[:=]|\b(?:is|are|with|it'?s|its|ist|sind|es|son|est|sono|é)) [^\s/,;:]{2,60}"
    r"(?: ?[/|,&+:] ?| (?:and|n|with|und|y|et|e|en) (?:the )?)(?:pass(?:word)? |pw )?[\"'`]?\Z"
    r"|@[\w.-]{4,60} ?[/:|,] ?\Z",
    re.IGNORECASE,
)
"""A user's name, before a password: `my login is bob / `."""
_FOR = re.compile(r"\b(?:pin|pass\w+|code)s? (?:for|of) (?:the|my|our) [\w-]+ (?:is|was) [\"'`“]?\Z", re.IGNORECASE)
"""A secret that is named with its thing, since the thing alone means another number: `the pin for the phone is `."""
_CVV = re.compile(r"cv[vc]2?", re.IGNORECASE)
_TURNED = re.compile(
    r"[\"'`”’]?,? [-–— ]*(?:(?:thats|that's|it's) )?(?:is|was|as|ist|war|als|es|era|como|est|comme|è|come|é"
    r"|(?:what )?i (?:set|use|used|have) (?:as|for|on))"
    r" (?:my|our|the|his|her|their|your|a|mein|meine|unser|das|die|der|mi|la|el|le|mon|il|de|o|mijn|het)"
    r"(?: [\w-]{1,20}){0,2} ",
    re.IGNORECASE,
)
"""Words between a secret and its name after it: `4711 is my PIN`, `hunter2 as the admin password`."""
_KINDS: dict[lexicon.About, Kind] = {
    "pin": "PIN",
    "key": "key",
    "serial": "key",
    "token": "token",
    "code": "code",
    "lock": "code",
}
_OPENED_BY_DIGITS = frozenset({"pin", "code", "lock", "password", "serial"})

_MARKS, _SIGNS = frozenset("\"'`“”„«»‘’"), frozenset("+-$€£/.#")
_OPENING = re.compile(
    r" (?:drücken|eingeben|eintippen|tippen|wählen|auf\b|opens?|unlocks?|gets|lets|to (?:disarm|open|unlock|get)|abre"
    r"|ouvre|apre)"
)
"""Words after a number that opens something."""
_OF = re.compile(
    r" ?(?:number|nummer)?(?: (?:for|of|from|von|vom|für|fürs|del?|para|du|pour|di|per|da|do|van|voor|der|die|das"
    r"|the|my)\b"
    r"[^.!?,;:\n]{0,30})? ",
    re.IGNORECASE,
)
"""Words between a code's name and the code: `TAN from the bank`."""
_CLOCK = re.compile(r"(?:[01]\d|2[0-3])[0-5]\d")
_WORDED = re.compile(r"[^\W\d_]{4,}\d{2,4}")
_YEAR = re.compile(r"19\d\d|20[0-3]\d")

_NOT_TO_KEEP = re2.compile(
    r"(?i)(?:^|[.,;:!?(–-]\s*|\b(?:please|and|but|so)\s)(?:don'?t|do not|never)(?: you)?(?: go| be)? "
    r"(?:keep|save|store|note|write|remember|record|log|noting|writing|saving|keeping|storing|recording)"
    r"(?: (?:that|this|it|them|any)\b|\s*(?:[.,!)]|$)| down\b)"
    r"|\bthis session only\b|\bfor your eyes only\b"
)
"""Requests not to store something."""
_LIKE_A_CODE = re.compile(
    r"(?<![\w.,:/£$€-])(?!(?:19|20)\d\d(?!\d))(?:\d{4,8}"
    r"|(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z]\w*[_-]?\w{5,})(?![\w:/%])"
)


class _Value(NamedTuple):
    """A value from *start* to *end*. *link* is the word before the value, if this word announces a secret."""

    start: int
    end: int
    shape: Shape
    link: str
    paired: bool
    quoted: bool


def stated_secrets(text: str, cues: Sequence[lexicon.Cue]) -> Iterator[Span]:
    """Give the spans of values in *text* that look like secrets and are near one of *cues*."""
    for start, end in _windows(cues, len(text)):
        if not _MAY_TELL.search(text[start:end]):
            continue
        for found in _VALUE.finditer(text, start, end):
            if is_of_field(text, *found.span()):
                continue  # `fields` decides by the field's name
            if (value := _value(text, found)) and (cue := _cue_of(text, value, cues)):
                yield Span(value.start, value.end, _kind(text, value, cue))
    for cue in cues:
        named = cue.about in ("password", "question")
        used = _AS.search(text, max(0, cue.start - 140), cue.start) if named else None
        if used and used["value"].casefold() not in lexicon.COMMON:
            yield Span(*used.span("value"), "password")


def private(text: str) -> Iterator[Span]:
    """Give the spans of numbers and keys, if *text* asks not to keep them: `4471, don't write that down`."""
    if _NOT_TO_KEEP.search(text):
        for found in _LIKE_A_CODE.finditer(text):
            yield Span(*found.span(), "code")


def _windows(cues: Sequence[lexicon.Cue], length: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of text around *cues*. Overlapping ranges are merged."""
    start = end = 0
    for cue in cues:
        if cue.start - _FAR > end:
            if end:
                yield start, end
            start = max(0, cue.start - _FAR)
        end = min(cue.end + _FAR, length)
    if end:
        yield start, end


def _value(text: str, found: "re.Match[str]") -> _Value | None:
    """Return the value in a match, without its name and punctuation; None for an ordinary word."""
    start, end = found.span()
    shape: Shape | None = "turns" if found["turns"] else "words" if found["quoted"] else "digits"
    if found["token"]:
        if "://" in found["token"] or found["token"].startswith("--"):
            return None
        start = _inner(text, start, end)
        head = _HEAD.match(text, start, end)
        start = _inner(text, head.end(), end) if head else start
        cut = _TAIL.search(text, start, end)
        end = cut.start() if cut else end
        shape = looks(text[start:end])
    before = text[max(0, start - 70) : start]
    if shape == "words" and not assigned(text[start:end], "password", quoted=True):
        return None
    if shape is None or (shape == "digits" and (amount(text[end : end + 16]) or before[-1:] in _SIGNS)):
        return None
    words = before.rstrip(" \"'`“„«‘(*_#").casefold().split()[-3:]
    words = (words[:-1] if len(words) > 1 and words[-1] in lexicon.BETWEEN else words)[-2:]
    last = words[-1] if words else ""
    link = (
        last
        if last in lexicon.LINKS or last.startswith(lexicon.TYPING) or last.endswith((":", "=", "→", "->", "'s", "’s"))
        else ""
    )
    if last in ("in", "up", "on"):
        link = words[0] if words[0] in lexicon.LINKS or words[0].startswith((*lexicon.TYPING, "open")) else ""
    elif last.strip(":,") in lexicon.CHANGE_LINKS and _CHANGED.search(text[max(0, start - _REACH) : end + 40]):
        link = last
    if not link and (after := _OPENING.match(text, end)):
        link = after[0]
    if not _FOR.search(before) and not lexicon.OTHER.isdisjoint(
        word.strip(".:=#") for word in (words if link or last in ("number", "nr", "no") else words[-1:])
    ):
        return None
    quoted = before[-1:] in _MARKS and text[end : end + 1] in _MARKS
    return _Value(start, end, shape, link, bool(_PAIR.search(before)), quoted)


def _inner(text: str, start: int, end: int) -> int:
    """Return where the value begins, after brackets and quotation marks."""
    return end - len(text[start:end].lstrip("([{'’‘*_~@-–—¿¡\""))


def _cue_of(text: str, value: _Value, cues: Sequence[lexicon.Cue]) -> lexicon.Cue | None:
    """Return the strongest and nearest cue that makes *value* a secret, or None."""
    matching = [
        cue
        for cue in lexicon.near(cues, value.start, value.end)
        if (cue.end <= value.start or cue.start >= value.end) and _tells(text, value, cue)
    ]
    return min(
        matching,
        key=lambda cue: (cue.about in ("access", "everywhere"), cue.about == "lock", abs(cue.start - value.start)),
        default=None,
    )


def _tells(text: str, value: _Value, cue: lexicon.Cue) -> bool:
    first = cue.end <= value.start
    between = text[cue.end : value.start] if first else text[value.end : cue.start]
    stops = sum(1 for _ in _STOP.finditer(between))
    weak = cue.about in ("access", "everywhere", "question")
    if stops > 2 or cue.about == "question":
        return False
    if not first and _TURNED.fullmatch(between):
        return not weak
    inner = between.strip(" \"'`“„«‘(*")
    joined = first and (not inner or inner[-1] in ",:=–—-→")
    starts = bool(first and stops and not _STOP.split(between)[-1].strip(" \"'-–—:¿¡"))
    answers = starts or (joined and stops == 1 and "?" in between)
    linked = bool(value.link or answers or (value.paired and cue.about in ("password", "access")))
    if value.shape in ("digits", "turns"):
        return cue.about in _OPENED_BY_DIGITS and _opens(text, value, cue, between, stops, joined=joined, linked=linked)
    if stops > 1 or len(between) > _REACH:
        return False
    adjacent = joined and not stops and len(inner) <= 1
    worded = bool(_WORDED.fullmatch(text, value.start, value.end))
    if cue.about == "everywhere":
        used = between == " " and value.link and worded
        return not first and bool(used or (value.shape == "strong" and not between.strip(" ,")))
    if value.shape == "odd":
        return True
    if value.shape == "strong" and cue.about == "serial":
        return text[value.start : value.end].isupper()
    if value.shape == "strong":
        linked = linked and not (weak and stops and value.link.endswith(":"))
        return linked or adjacent or cue.about in ("password", "pin", "key", "token", "code")
    if value.shape == "words":
        return first and cue.about == "password" and linked and len(between) <= 60
    if weak or cue.about == "serial":
        return worded and (adjacent or value.paired)
    if not any(map(str.isdigit, text[value.start : value.end])):
        return first and cue.about == "password" and len(between) <= 20 and (adjacent or value.link in lexicon.ITS)
    return first and (linked or value.quoted or adjacent)


def _opens(text: str, value: _Value, cue: lexicon.Cue, between: str, stops: int, *, joined: bool, linked: bool) -> bool:
    """Return whether a number is the code for the thing that *cue* names; *between* is the text between them."""
    first, number = cue.end <= value.start, text[value.start : value.end]
    if value.shape == "turns":
        return stops <= 1
    if _YEAR.fullmatch(number) and (stops or cue.about == "lock"):
        return False
    if cue.about == "serial" and len(re.split("[ -]", number)) < 4:
        return False
    if _CLOCK.fullmatch(number) and value.link in ("set", "to"):
        return False
    if first and _CVV.fullmatch(text, cue.start, cue.end) and not between.strip(" :"):
        return True
    short = len(re.findall(r"\w+" if number[0].isalpha() else r"\d", number)) < 4
    if not first:
        announced = value.link in lexicon.OF_HAND or value.link.startswith((*lexicon.TYPING, " "))
        return announced and not stops and not short and len(between) <= 60
    named = cue.about != "lock"
    if not linked and not stops and not short:
        grouped = not number.isdigit() and len(between) <= 2
        return (joined and (named or grouped) and len(between) <= 60) or (named and bool(_OF.fullmatch(between)))
    announced = value.link in lexicon.ITS and named
    return (
        linked
        and value.link != "by"
        and stops <= (0 if short else 1 + announced)
        and len(between) <= (_FAR if stops else 60 if short else _REACH)
    )


def _kind(text: str, value: _Value, cue: lexicon.Cue) -> Kind:
    """Return the kind of a secret by its cue. The kind for a lock or a PIN is `password` if the value is a word."""
    letters = sum(map(str.isalpha, text[value.start : value.end]))
    worded = value.shape not in ("digits", "turns") and letters > 2 and cue.about in ("lock", "pin")
    return "password" if worded else _KINDS.get(cue.about, "password")
