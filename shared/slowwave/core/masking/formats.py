"""Secrets of a known format (keys, tokens, payment cards), or beside a name in data and commands."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import re2

from slowwave.core.masking.spans import Kind, Span, assigned, looks

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
_ROW_OF_KEY = re.compile(r"[A-Za-z0-9_+/=-]{13,}")
"""A run of characters, with a digit, that every format of the detector contains, except those of `_OTHERS`."""
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
"""A long word, which is a key if it is random and does not start like a public id (`call_…`, `msg-…`)."""
_TYPED = re2.compile(r"[[:alpha:]][!$#][[:alnum:]]")
_BY_HAND = re.compile(
    r"(?<![\w.$#/@&=:-])(?=[\w.-]{1,30}[!$#]\w)(?=\S{0,40}?\d)(?=\S{0,40}?[A-Z])(?=\S{0,40}?[^\W\d_]{4})[\w!$#.-]{8,40}"
    r"(?<![.!-])(?![\w/(\[=@:$])"
)
"""A password with a capital, a sign and a digit."""
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
_WORDS = re.compile(r"[A-Z]?[a-zß-ÿ]+|[A-Z]+(?![a-z])")
_LAST: dict[str, Kind] = {
    "password": "password", "passwd": "password", "pwd": "password", "passphrase": "password", "passcode": "password",
    "passwort": "password", "kennwort": "password", "contraseña": "password", "contrasena": "password",
    "psk": "password", "pin": "PIN", "cvv": "code", "cvc": "code",
    "secret": "key", "apikey": "key", "token": "token",
}  # fmt: skip
_KEYS = frozenset(
    {"access", "account", "api", "auth", "client", "encryption", "license", "private", "secret", "signing"}
)
"""Words before `key` that make it a secret, unlike a table's key."""
NAMES = (
    r"(?:pass(?:word|wort|phrase|code|wd)|kennwort|contrase(?:ñ|n)a|pwd|psk|pin|cvv|cvc|secret|key|token)"
    r"[\"'`\\]{0,4}[ \t]{0,4}[:=]"
)
COMMANDS = r"sshpass|\bcurl\b|mysql|mariadb|docker|podman|helm |--?pass|-stdin|wpa_pass|://"
"""Quick tests for a named field, and for a command or a URL."""
_NAMED, _MAY_COMMAND = re2.compile(f"(?i){NAMES}"), re2.compile(COMMANDS)
_FIELD = re.compile(
    r"(?<![\w.-])(?P<name>[A-Za-z_][\w.-]{1,60})(?:\\{0,3}[\"'`])?[ \t]{0,4}(?::=|=>|={1,3}|:)[ \t]{0,4}"
    r"(?:(?P<mark>\\{0,3}[\"'`])(?P<quoted>(?:(?!(?P=mark))(?:\\.|[^\n\\])){3,1000})(?P=mark)"
    r"|(?P<bare>[^\s\"'`,;<>{}\\]{3,200}))"
)
_NEXT = re.compile(r"&\w+=|[.,;:!?)'’]+\Z")
"""The end of an unquoted secret: the next field of a URL, or punctuation."""
_COMMANDS = re.compile(
    r"\bsshpass\ -p\ ?[\"']?(?P<ssh>[^\s\"']{3,})"
    r"|\bcurl\b[^\n|;]{0,200}?\ (?:-u|--user)[ =][\"']?[^\s:\"']+:(?P<curl>[^\s\"']{3,})"
    r"|\b(?:mysql|mysqldump|mariadb)\b[^\n|;]{0,200}?\ -p[\"']?(?P<sql>[^\s\"']{3,})"
    r"|\b(?:docker|podman|helm)[^\n|;]{0,40}?\ login\b[^\n|;]{0,100}?\ -p[ =]?[\"']?(?P<login>[^\s\"']{3,})"
    r"|\ --?pass(?:word|phrase|wd|in)?(?:[ =]|[ =]pass:)[\"']?(?P<option>[^\s\"'-][^\s\"']{2,})"
    r"|\becho\ (?:-n\ )?[\"']?(?P<echo>[^\s\"'|]{3,200})[\"']?\ ?\|[^\n]{0,100}?(?:-stdin|sudo\ -S|passphrase-fd)"
    r"|\bwpa_passphrase\ (?:\"[^\"\n]{1,40}\"|\S{1,40})\ (?:\"(?P<wpa>[^\"\n]{3,64})\"|(?P<psk>[^\s\"|]{3,64}))"
    r"|(?<=://)[^\s:/@]{0,64}:(?P<url>[^\s/]{3,100})(?=@[\w.-])|(?<=://)(?P<dsn>[\da-f]{32})(?=@)",
    re.VERBOSE,
)
"""Passwords among the options of commands, and in URLs."""
_ROW = re.compile(r"[^\n]+")
_COLUMN = re.compile(
    r"(?i)\b(?:pass(?:word|wort|wd|phrase|code)?|pwd?|kennwort|contraseña|clave|mdp|mot de passe|senha|wachtwoord"
    r"|pin)\b"
)
_FIELD_VALUE = re.compile(r"[\w.-]\\{0,3}\"\s{0,4}:\s{0,4}\\{0,3}\"?\Z")
"""Text before the value of a JSON field."""
_FIELD_NAME = re.compile(r"\\{0,3}\"\s{0,4}:")
"""Text after the name of a JSON field."""


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


def shaped(text: str, *, guess: bool) -> Iterator[Span]:
    """Give the spans of keys and tokens of a known format in *text*; with *guess*, also of long random words."""
    rows = any(any(map(str.isdigit, row[0])) for row in _ROW_OF_KEY.finditer(text))
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
    """Return the regular expressions of the detector and of this module, each with the kind of secret.

    A flag says whether a group in the expression marks the secret. Importing the detector takes a third of a second, so
    it is imported when a text first looks like a secret.
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
    """Return a detector's expression for RE2, which has no lookaround. `_whole` checks the surroundings."""
    pattern = _AROUND.sub(r"(?:^|\\W)", expression.pattern).replace(",1024}", ",}")  # RE2 counts no further than 1000
    pattern = _AHEAD.sub("", pattern)
    return re2.compile(f"(?i){pattern}" if expression.flags & re.IGNORECASE else pattern)


def _whole(text: str, start: int, end: int, kind: Kind) -> Span | None:
    """Return the span of the whole word at *start*; None inside a word, or for a word that looks like no secret."""
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


def named(name: str) -> Kind | None:
    """Return the kind of secret that a field called *name* holds; None if it holds none.

    >>> named("DB_PASSWORD"), named("apiKey"), named("max_tokens"), named("primary_key")
    ('password', 'key', None, None)
    """
    words = [word.casefold() for word in _WORDS.findall(name)]
    if not words:
        return None
    if words[-1] == "key" and _KEYS.intersection(words[-3:-1]):
        return "key"
    return _LAST.get(words[-1])


def stored_secrets(text: str) -> Iterator[Span]:
    """Give the spans of secrets in *text* beside a name, in a table, in a command or in a URL."""
    for found in _COMMANDS.finditer(text) if _MAY_COMMAND.search(text) else ():
        if found.lastgroup and (found["wpa"] or assigned(found[found.lastgroup], "password", quoted=True)):
            yield Span(*found.span(found.lastgroup), "password")
    for found in _FIELD.finditer(text) if _NAMED.search(text) else ():
        quoted = found["quoted"] is not None
        at, value = (found.start("quoted"), found["quoted"]) if quoted else (found.start("bare"), found["bare"])
        value = value if quoted else _NEXT.split(value)[0]
        variable = found["name"].isupper() and "_" in found["name"]
        if (kind := named(found["name"])) and assigned(value, kind, quoted=quoted or variable):
            yield Span(at, at + len(value), kind)
    yield from _columns(text)


def is_of_field(text: str, start: int, end: int) -> bool:
    """Return whether the span is the name or the whole value of a JSON field."""
    if _FIELD_NAME.match(text, end):
        return True
    return text[end : end + 1] in ('"', "\\", ",", "}") and bool(_FIELD_VALUE.search(text, max(0, start - 20), start))


def _columns(text: str) -> Iterator[Span]:
    """Give the spans of the cells under `password` or `PIN` in tables of *text*."""
    mark, columns = "", 0
    kinds: dict[int, Kind] = {}
    for row in _ROW.finditer(text) if "\n" in text else ():
        if mark and row[0].count(mark) == columns:
            at = row.start()
            for number, cell in enumerate(row[0].split(mark)):
                kind, value = kinds.get(number), cell.strip(" \"'`")
                if kind and assigned(value, kind, quoted=True):
                    start = at + cell.index(value)
                    yield Span(start, start + len(value), kind)
                at += len(cell) + 1
            continue
        mark = next((one for one in "|\t;," if row[0].count(one)), "") if _COLUMN.search(row[0]) else ""
        columns = row[0].count(mark) if mark else 0
        kinds = {}
        for number, cell in enumerate(row[0].split(mark) if mark else ()):
            if len(cell.strip()) <= 20 and _COLUMN.fullmatch(cell.strip(" \"'`*")):
                kinds[number] = "PIN" if "pin" in cell.casefold() else "password"
        mark = mark if kinds else ""
