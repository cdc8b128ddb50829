"""Secrets of several words: passphrases, seeds of wallets, and answers to security questions."""

import re
from collections.abc import Iterator, Sequence

import re2

from slowwave.core.masking.cues import Cue
from slowwave.core.masking.spans import MASK, Span
from slowwave.core.masking.values import amount
from slowwave.core.masking.words import DEMANDS, ORDINARY

_ANSWER = re.compile(
    r"\b(?:put|answered|typed|gave|entered|used|wrote|chose|picked|said|hab(?:e)?|antwort(?:e|ete)|geschrieben"
    r"|puse|contesté|respondí"
    r"|escribí|répondu|mis|saisi|écrit|risposto|messo|scritto|respondi|coloquei|pus|antwoordde|vulde"
    r"|heb)(?: (?:in|as|with|mit|"
    r"con|com|que|it as|down))? |\b(?:answer|antwort|respuesta|réponse|risposta|resposta|antwoord)(?: (?:is|was"
    r"|ist|es|est|è|é))?"
    r"(?: |: ?)|\bwould be |[=:] ?",
    re.IGNORECASE,
)
_ANSWERED = re.compile(
    r"[\"'“„«‘](?P<quoted>[^\"“”»\n]{2,60}?)[\"'”»’](?!\w)"
    r"|(?P<names>(?:[A-ZÀ-Þ][\w'’-]*\.?|\d{1,4})(?: (?:[A-ZÀ-Þ][\w'’-]*|\d{1,4}|de|la|of|van|von|der|du"
    r"|di))*(?<! ))(?!\w)"
    r"|(?P<word>[a-zß-ÿ][\w'-]{3,20})(?=[.,;!?\n]|\Z| (?:but|and|aber|und|y|pero|mais|et|ma|mas|maar|en)\b)"
)
_IS = re.compile(
    r"\b(?P<it>it['’]?s|that['’]?s|it was|es|era|c['’]est|é|è|is|was|would be|ist|war|lautet|est|était|puse|put"
    r"|eingegeben)"
    r"(?: (?:now|still|just|jetzt|ahora|maintenant|nu))? |(?P<sign>[:=]) ?|[?] (?=[\"“„«])",
    re.IGNORECASE,
)
_PASSPHRASE = re.compile(
    r"(?P<mark>[\"'“„«‘]?)(?P<value>\w[^\n.,;:!?()@\"“”„«»|=<>{}\[\]]{5,70}?)[ ]?"
    r"(?P<end>[\"”»]|['’](?!\w)|(?=[.,;!?()\n])|(?= [-–—])|(?= (?:with|all|mit|con|avec|com|met|todo|tout|tutto"
    r"|alles) )|\Z)"
)
_HINT = re.compile(
    r"[\"'”»]?[\s,(–-]{0,3}(?:(?:and|y|und|et|e|en|with|mit|con|avec|com|met|all|todo|tout|tutto|alles|in|no"
    r"|without|sin|ohne|sans"
    r"|senza|sem|zonder|a|un|una|an|one|two|das|das ganze) ){0,4}(?:lower|minúscul|minuscul|klein|kleine|upper"
    r"|capital|mayúscul"
    r"|majuscul|maiuscol|maiúscul|groß|hoofdletter|caps|spaces?\b|espa[cç]|spazi|leerzeichen|spatie|words?\b"
    r"|palabras|mots|parole"
    r"|wörter|junto|attaché|attaccat|zusammen|aan elkaar|underscores?|dashes|staat op|steht (?:auf|am|an)|hyphens)",
    re.IGNORECASE,
)
"""What is told about the writing of a passphrase: `all lower case`, `with spaces`."""
_NEAR = 150
"""The most characters between the name of a seed and its first word."""
_SEED_WORD = re.compile(r"(?:\d{1,2}[.)]:?)?[a-zß-öø-ÿ]{3,10}(?P<last>[,;]?)|\d{1,2}[.):]?")
"""A word of a seed, perhaps numbered."""
_SAYS_WORDS = re2.compile(
    r"(?i)pass|kennwort|wachtwoord|contra|clave|senha|phrase|\bmots? |\bmdp\b|parola|wi-?fi|wlan|word\b"
)
_SAYS_VAULT = re2.compile(r"(?i)keepass|ssh-keygen|gpg|veracrypt|luks|bitwarden")


def phrases(text: str, cues: Sequence[Cue]) -> Iterator[Span]:
    """Give the spans of secrets of several words in *text*: passphrases near *cues*, answers, and seeds."""
    read = 0
    for cue in cues:
        if cue.about == "question":
            yield from _answer(text, cue)
        elif cue.about == "seed" and cue.end + _NEAR > read:
            start, read = max(cue.end, read), cue.end + 2 * _NEAR
            yield from _seed(text, start, read)
        elif cue.about in ("password", "access"):
            words = text[cue.start : cue.end]
            vault = cue.about == "access"
            if (_SAYS_VAULT if vault else _SAYS_WORDS).search(words):
                yield from _passphrase(text, cue.end, vault=vault)


def _seed(text: str, start: int, end: int) -> Iterator[Span]:
    """Give the spans of 12 to 24 listed words that begin between *start* and *end*."""
    run: list[re.Match[str]] = []
    for token in re.finditer(r"\S+", text[start : end + 300] + " ."):
        if _SEED_WORD.fullmatch(token[0].rstrip(".!")) and len(run) < 60:
            run.append(token)
            if token[0][-1] not in ".!":
                continue
        words = [one[0].strip(".,;!") for one in run if one[0].strip(".,;:)!").isalpha()]
        if 12 <= len(words) <= 24 and run[0].start() < end - start and sum(word in ORDINARY for word in words) <= 2:
            yield Span(start + run[0].start(), start + run[-1].start() + len(run[-1][0].rstrip(".,;!")), "password")
        run = []


def _passphrase(text: str, at: int, *, vault: bool) -> Iterator[Span]:
    for link in _IS.finditer(text, at, at + 120):
        gap = text[at : link.start()]
        stopped = re.search(r"[.!?]\s(?=[^.!?]*\Z)", gap)
        if len(re.findall(r"[.!?]\s", gap)) > 1 or "\n" in gap or len(gap) - (stopped.end() if stopped else 0) > 60:
            return
        found = _PASSPHRASE.match(text, link.end())
        if found and _is_passphrase(text, found, sign=bool(link["sign"]), vault=vault):
            yield Span(*found.span("value"), "password")
            return


def _is_passphrase(text: str, found: "re.Match[str]", *, sign: bool, vault: bool) -> bool:
    """Return whether words after `is` are a secret, and no ordinary clause."""
    value = found["value"]
    words = value.split()
    if not 2 <= len(words) <= 9 or MASK.search(value) or _SAYS_WORDS.search(value):
        return False
    if _HINT.match(text, found.end("value")):
        return True
    number, first = any(map(str.isdigit, value)), words[0].casefold()
    if sign and words[-1].isdigit() and len(words[-1]) >= 3 and len(words) > 2:
        return True
    if any(amount(value[digits.end() :]) for digits in re.finditer(r"\d+", value)):
        return False
    if found["mark"] and len(words) > 3:
        return bool(found["end"]) and words[0].casefold() not in DEMANDS
    if first in ORDINARY or re.search(r"(?:ing|ed|ly|able)$", first) or (vault and not number):
        return False
    strange = sum(word.casefold() in ORDINARY for word in words) * 3 <= len(words)
    if found["mark"]:
        return bool(found["end"])
    if found["end"] or not strange:
        return False
    return (number and len(words) > 2) or len(words) > 2 or words[1][:1].isupper()


def _answer(text: str, asked: Cue) -> Iterator[Span]:
    answer = (
        _IS
        if re.search("answer|memorable|chiave|clave|wor[dt]", text[asked.start : asked.end], re.IGNORECASE)
        else _ANSWER
    )
    for verb in answer.finditer(text, asked.end, asked.end + _FAR):
        found = _ANSWERED.match(text, verb.end())
        if not found or not found.lastgroup or (found["quoted"] and text[verb.start()] in "=:"):
            continue
        value = found[found.lastgroup]
        if (found.lastgroup != "word" or value not in ORDINARY) and not MASK.search(value):
            yield Span(*found.span(found.lastgroup), "password")
            return


_FAR = 200
"""The most characters between a security question and its answer."""
