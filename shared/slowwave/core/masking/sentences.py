"""Secrets in sentences, and beside a name in data: those that code scanners miss.

The rules read English, German, Spanish, French, Italian, Portuguese and Dutch. They need the name of a secret, a word
that assigns it (`is`, `=`), and after that a word that is not an ordinary one.
"""

import re
from collections.abc import Iterator

import re2

from slowwave.core.masking.names import named
from slowwave.core.masking.spans import Kind, Span
from slowwave.core.masking.values import assigned, is_secret_value

_NAMES: dict[Kind, str] = {
    "password": r"pass[ -]?(?:word|wort|code|phrase)|passwd|pwd|kennwort|wachtwoord|contrase(?:ñ|n)a|clave|senha"
    r"|mot[ ]de[ ]passe|parola[ ]d'ordine|wi-?fi[ -]key|wlan-?schlüssel",
    "PIN": r"pin(?:[ -]?(?:code|number|nummer))?|geheimzahl|c[óo]digo[ ]pin|code[ ]pin",
    "code": r"(?:access|alarm|door|entry|gate|lock|safe|security|unlock|one-time|verification|recovery|locker|garage"
    r"|padlock|vault|keypad|shed"
    r"|2fa|mfa|otp|sms|two-factor|authenticator|login|bike[ ]lock|lock[ ]?box|key[ ]?box|building|gym)"
    r"[ -](?:code|combination|combo)"
    r"|(?:burglar|house|shop|office)[ ]alarm(?:[ ](?:code|number))?|combination"
    r"|cvv2?|cvc|zugangscode|türcode|alarmcode|sicherheitscode|c[óo]digo[ ]de[ ](?:acceso|seguridad)",
    "key": r"(?:api|access|account|client|encryption|license|private|secret|ssh)[ _-]?key|client[ _]secret"
    r"|api-schlüssel|clave[ ](?:de[ ])?api",
    "token": r"(?:(?:access|api|auth|bearer|bot|refresh)[ _-])?token",
}
_FIELDS: dict[Kind, str] = {
    "password": r"(?:pass|pw|login|(?:guest[ ])?wi-?fi)(?=\s*[:=])|pw(?=[ ](?:is|for|of|to)\b)",
    "key": r"secret(?=(?:\ is)?[ :=]+[A-Za-z0-9/+=_-]{24})",
}
"""Words that name a secret only where they stand before its value, as a field does."""
_ANY = re2.compile(f"(?i){'|'.join(_NAMES.values())}|pass|pw|login|wi-?fi|secret")
_NAME = "|".join(
    f"(?P<{kind}>{'|'.join(filter(None, (pattern, _FIELDS.get(kind))))})" for kind, pattern in _NAMES.items()
)
_OF = r"(?:for|of|to|on|at|in|im|from|für|vom|von|des|der|zum|zur|del|de|para|pour|du|di|per|da|do|van|voor)"
_NOW = r"(?:now|still|just|actually|jetzt|noch|ahora|maintenant|nu)"
_IS = r"(?:is|was|are|be|becomes|ist|war|lautet|heißt|es|era|est|était|è|é)"
_SINCE = r"(?:has|have|had|was|were|got|is|are|been|just|now|recently)"
_SET = r"(?:changed|reset|set|updated)"
_STATED = re.compile(
    rf"(?<![^\W_])(?:{_NAME})(?:['’]?s)?(?![^\W_])"
    rf"(?:\ {_OF}\b(?:[^.!?;,\n\[]|\.(?=\w)){{1,40}}?|\ (?:will|should|used\ to|{_NOW}))?"
    rf"(?:\s*(?:[:=→]|->)\s*|(?:\ {_SINCE}){{0,3}}\ {_SET}(?:\ (?:to|from)\ |\s*:\s*)"
    rf"|(?<=s)\ |\ {_IS}\ (?:{_NOW}\ )?[:=]?\s*|\ (?P<to>to|auf|zu|a|en|à|in|naar)\ "
    r"|\ (?=\d|[^\s\d,;]*[A-Za-z][^\s,;]*\d))"
    r"(?P<mark>[\"'`“”„‘«]?)(?P<value>\d(?:[ -]\d){3,7}(?!\d)|[^\s\"`“”„«»\\]{3,200})",
    re.IGNORECASE | re.VERBOSE,
)
_CHANGED = re.compile(
    r"\b(?:chang|set\b|reset|updat|switch|änder|geändert|gesetzt|cambi|chang[ée]|wijzig)", re.IGNORECASE
)
_WORD = r"[\"'`“‘]?(?P<%s>[^\s\"'`”’]{3,64})"
_FROM = re.compile(
    rf"(?<![^\W_])(?:{_NAME})(?:(?:\ {_SINCE}){{0,3}}\ {_SET})?\ from\ {_WORD % 'old'}[\"'`”’]?\ to\ {_WORD % 'new'}",
    re.IGNORECASE | re.VERBOSE,
)
"""Both secrets of a change."""
_AND_ITS = re.compile(
    r"[^.!?;\n]{0,60}?[,;] (?:(?:and|but|now|then) ){0,2}(?:it['’]?s|it is|it was) (?:(?:still|now) )?"
    r"[\"'`“‘]?(?P<value>[^\s\"'`”’]{3,64})",
    re.IGNORECASE,
)
"""A secret that follows its name at a distance: `my password hasn't changed, it's still …`."""
_COMMANDS = re.compile(
    r"\bsshpass\ -p\ ?[\"']?(?P<ssh>[^\s\"']{3,})"
    r"|\bcurl\b[^\n|;]{0,200}?\ (?:-u|--user)[ =][\"']?[^\s:\"']+:(?P<curl>[^\s\"']{3,})"
    r"|\b(?:mysql|mysqldump|mariadb)\b[^\n|;]{0,200}?\ (?:-p|--password=)[\"']?(?P<sql>[^\s\"']{3,})",
    re.VERBOSE,
)
"""Passwords among the options of commands."""
_MAY_COMMAND = re2.compile(r"sshpass|curl|mysql|mariadb")
_REACH = 40
"""The characters before `password to` that are searched for a verb of change."""
_PAIR = re.compile(
    r"\b(?:log-?ins?|log-?in details|credentials|creds|sign-?in|user(?:name)? ?(?:and|[/&+]) ?(?:password|pass|pw)"
    r"|(?:my|our|the) (?:netflix|spotify|disney\+?|hulu|steam|wi-?fi)(?: account| login)?)\b"
    r"(?: (?:for|of|to|on|at)\b[^.!?;,\n]{1,40}?)?(?:\s*[:=]\s*| (?:is|are|it'?s) )"
    r"[\"'`]?[^\s\"'`/,;:]{2,60}[\"'`]?(?: ?[/:|,&+] ?| (?:and|n|with) (?:the )?)(?:pass(?:word)? |pw )?"
    r"[\"'`]?(?P<value>[^\s\"'`,;]{4,64})",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"\b(?:opens?|unlocks?|(?:opened|unlocked|protected|locked)) (?:with|by|using)\s+[\"'`‘“]?"
    r"(?P<value>(?=\S*[A-Za-z])(?=\S*\d{3})[\w!#$%&*+=@?-]{6,40})",
    re.IGNORECASE,
)
_MAY_OPEN = re2.compile(r"(?i)log-?in|cred|sign-?in|user|netflix|spotify|disney|hulu|steam|wi-?fi|open|lock|protect")
_TURNED = re.compile(
    r"(?<!\S)[\"'`]?(?P<value>[^\s\"'`,;:\\]{4,64})[\"'`]?\ (?:is|as|ist|als|es|como)"
    rf"\ (?:my|our|the|his|her|their|your|a|mein|unser|das|die|mi|la)\ (?:[\w-]{{1,20}}\ ){{0,2}}?(?:{_NAME})(?!\w)",
    re.IGNORECASE | re.VERBOSE,
)
_BACK = re2.compile(r"(?i) (?:is|as|ist|als|es|como) (?:my|our|the|his|her|their|your|a|mein|unser|das|die|mi|la) ")
_PHRASE = re.compile(
    r"\b(?:seed|recovery|mnemonic|secret) (?:phrase|words)\b[^.!?\n]{0,20}?(?:\bis\b|\bare\b|:)\s*"
    r"[\"']?(?P<value>[a-z]{3,8}(?:,? {1,2}[a-z]{3,8}){11,23})(?![a-z])",
    re.IGNORECASE,
)
_PASSPHRASE = re.compile(
    r"\bpass[ -]?phrase\b[^.!?\n]{0,20}?(?:\bis\b|:|=)\s*"
    r"[\"']?(?P<value>[a-z]{3,12}(?:[ -][a-z]{3,12}){3,7})(?=[\"'.,;!\n]|$)",
    re.IGNORECASE,
)
_ASSIGNED = re.compile(
    r"(?<![\w.-])(?P<name>[A-Za-z_][\w.-]{1,60})(?:\\{0,3}[\"'`])?[ \t]{0,4}(?::=|=>|={1,3}|:)[ \t]{0,4}"
    r"(?:(?P<mark>\\{0,3}[\"'`])(?P<quoted>(?:(?!(?P=mark))(?:\\.|[^\n\\])){3,1000})(?P=mark)"
    r"|(?P<bare>[^\s\"'`,;<>{}\\]{3,200}))"
)


_NOT_TO_KEEP = re2.compile(
    r"(?i)(?:^|[.,;:!?(–-]\s*|\b(?:please|and|but|so)\s)(?:don'?t|do not|never)(?: you)?(?: go| be)? "
    r"(?:keep|save|store|note|write|remember|record|log|noting|writing|saving|keeping|storing|recording)"
    r"(?: (?:that|this|it|them|any)\b|\s*(?:[.,!)]|$)| down\b)"
    r"|\bthis session only\b|\bfor your eyes only\b"
)
"""Requests not to store something."""
_LIKE_A_CODE = re.compile(
    r"(?<![\w.,:/£$€-])(?!(?:19|20)\d\d(?!\d))(?:\d{4,8}|(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z]\w*[_-]?\w{5,})(?![\w:/%])"
)
_FIELD = re2.compile(
    r"(?i)(?:pass(?:word|wort|phrase|code|wd)|kennwort|contrase(?:ñ|n)a|pwd|pin|cvv|cvc|secret|key|token)"
    r"[\"'`\\]{0,4}[ \t]{0,4}[:=]"
)
"""A quick test for such a field."""


_NEXT = re.compile(r"&\w+=|[.,;:!?)'’]+\Z")
"""The end of an unquoted secret: the next field of a URL, or punctuation."""


def stated_secrets(text: str) -> Iterator[Span]:
    """Give the spans of secrets that *text* names: in a sentence, or as a field of data."""
    names = [found.start() for found in _ANY.finditer(text)]
    for found in filter(None, (_STATED.match(text, at) for at in names)):
        kind, value = _kind(found), _NEXT.split(found["value"])[0]
        changed = found["to"] is None or _CHANGED.search(text, max(0, found.start() - _REACH), found.start())
        if changed and (is_secret_value(value, kind) or (found["mark"] and assigned(value, kind, quoted=True))):
            yield Span(found.start("value"), found.start("value") + len(value), kind)
    for found in filter(None, (_FROM.match(text, at) for at in names)) if " from " in text else ():
        for which in ("old", "new"):
            value = _NEXT.split(found[which])[0]
            if is_secret_value(value, kind := _kind(found)):
                yield Span(found.start(which), found.start(which) + len(value), kind)
    for found in filter(None, (_AND_ITS.match(text, at) for at in names)):
        value = _NEXT.split(found["value"])[0]
        if is_secret_value(value, "password"):
            yield Span(found.start("value"), found.start("value") + len(value), "password")
    for found in _COMMANDS.finditer(text) if _MAY_COMMAND.search(text) else ():
        if found.lastgroup and assigned(found[found.lastgroup], "password", quoted=True):
            yield Span(*found.span(found.lastgroup), "password")
    for found in _TURNED.finditer(text) if names and _BACK.search(text) else ():
        if is_secret_value(found["value"], kind := _kind(found)):
            yield Span(*found.span("value"), kind)
    for one in (_PAIR, _OPENS) if _MAY_OPEN.search(text) else ():
        for found in one.finditer(text):
            value = _NEXT.split(found["value"])[0]
            if is_secret_value(value, "password"):
                yield Span(found.start("value"), found.start("value") + len(value), "password")
    for found in _PHRASE.finditer(text) if "phrase" in text or "words" in text else ():
        yield Span(*found.span("value"), "password")
    for found in _PASSPHRASE.finditer(text) if "phrase" in text else ():
        yield Span(*found.span("value"), "password")
    for found in _ASSIGNED.finditer(text) if _FIELD.search(text) else ():
        quoted = found["quoted"] is not None
        at, value = (found.start("quoted"), found["quoted"]) if quoted else (found.start("bare"), found["bare"])
        value = value if quoted else _NEXT.split(value)[0]
        variable = found["name"].isupper() and "_" in found["name"]
        if (kind_ := named(found["name"])) and assigned(value, kind_, quoted=quoted or variable):
            yield Span(at, at + len(value), kind_)


def private(text: str) -> Iterator[Span]:
    """Give the spans of numbers and keys in a text that must not be stored: `4471, don't write that down`."""
    if _NOT_TO_KEEP.search(text):
        for found in _LIKE_A_CODE.finditer(text):
            yield Span(*found.span(), "code")


def _kind(found: "re.Match[str]") -> Kind:
    return next(kind for kind in _NAMES if found[kind])
