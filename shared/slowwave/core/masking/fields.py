"""Secrets in data and commands: beside a name, in a column of a table, among options, in a URL."""

import re
from collections.abc import Iterator

import re2

from slowwave.core.masking.names import named
from slowwave.core.masking.spans import Kind, Span
from slowwave.core.masking.values import assigned

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
"""What stands before the value of a field of JSON."""
_FIELD_NAME = re.compile(r"\\{0,3}\"\s{0,4}:")
"""What stands after the name of a field of JSON."""


def stored_secrets(text: str) -> Iterator[Span]:
    """Give the spans of secrets in *text* that stand beside a name, in a table, in a command or in a URL."""
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
    """Return whether the name of a field of JSON, or its whole value, stands there."""
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
