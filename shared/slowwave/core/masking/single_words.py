"""Passwords that are single ordinary words: `the wifi password is swordfish`, `login: Rainbow`.

Nothing in such a word tells that it is a secret, so the sentence must: it names a password, and ends with a word that
says nothing about passwords (`the password is wrong`).
"""

import re
from collections.abc import Iterator, Sequence

import re2

from slowwave.core.masking.cues import Cue
from slowwave.core.masking.fields import is_of_field
from slowwave.core.masking.spans import Span
from slowwave.core.masking.values import assigned
from slowwave.core.masking.words import COMMON, NO_PASSWORD, ORDINARY, USES

_NAMED = re2.compile(
    r"(?i)pass ?(?:word|wort|code|phrase|key)|passw[dr]|pw|kennwort|wachtwoord|mdp|senha|palavra-passe|mot de passe"
    r"|contrase(?:ñ|n)a|(?:safe|security|secret|pick-?up) ?word|code ?wor[dt]|losungswort"
    r"|(?:wi-?fi|wlan)[ -]?(?:key|code|schlüssel)|(?:wi-?fi|wlan|router) pass"
)
_LOGIN = re2.compile(r"(?i)log-?in|sign-?in")
_AMBIGUOUS = re2.compile(r"(?i)claves?|parola (?:d.ordine|chiave)|contra|(?:clé|chiave|sleutel) .*")
"""Names that mean a password beside the name of an account."""
_ACCOUNT = (
    r"(?:wi-?fi|wlan|router|box|laptop|computer|pc|tablet|handy|phone|móvil|portable|ordinateur|ordenador|e?-?mail|correo"
    r"|account|konto|cuenta|compte|conto|conta|online-?banking|bank|banco|banque|banca|netflix|spotify|disney|amazon|paypal"
    r"|google|icloud|facebook|instagram|alarm\w*|safe|red|rete|casa|server|vpn|portal\w*)"
)
_OF = (
    r"(?: (?:for|to|of|on|at|from|that|which|i|we|you|für|fürs|vom|von|zum|zur|im|am|der|des|meines|unserer|de|del|para"
    r"|en|pa|pour|du|des|per|di|della|dello|del|da|do|van|voor|pro|nueva|nuevo|nova|nuova)\b[^.!?\n:;,]{0,50}?"
    rf"| {_ACCOUNT}\b)?"
)
_ADVERBS = (
    r"(?: (?:now|still|just|currently|actually|probably|always|simply|literally|again|jetzt|immer|noch|nun|wieder"
    r"|aktuell|ahora|todavía|siempre|maintenant|toujours|ora|adesso|ancora|sempre|agora|ainda|nu|nog))*"
)
_IS = (
    r"(?:(?<=word|code|rase)['’]s| (?:is|was|will be|ist|war|lautet|heißt|heisst|es|era|sigue siendo|será|est|était|è|é"
    r"|c['’]est)\b:?| ?(?::(?=\s)| →| =(?= (?-i:[A-ZÀ-Þ]))))"
)
_ENDS = (
    r"(?=[\"'”’)]?(?:[.,](?!\w)|[;!?)\n]|\s*\Z| (?:-|–|—|and|but|because|so|as|if|in case|btw|by the way|please|pls"
    r"|don'?t|now|again|lol|i (?:think|believe|guess)|und|aber|weil|falls|bitte|glaub|y|pero|porque|creo|por si|et|mais"
    r"|parce|je crois|au cas|e|ma|perché|nel caso|mas|maar|want)\b)"
    r"|\s*(?:-|–|—)\s)"
)
"""What may follow a password: the end of a sentence, or the next part of it."""
_VALUE = r"[\"'“„«‘]?(?P<value>[^\W\d_]{3,30}(?:-[^\W\d_]{2,20}){0,3})"
_WORD = _VALUE + _ENDS
_TOLD = re.compile(rf"{_OF}{_IS}{_ADVERBS} ?{_WORD}", re.IGNORECASE)
_ASKED = re.compile(
    rf"{_OF}(?:(?: again| nochmal| noch mal| ya)?(?P<asked>\?)|[^?\n]{{0,60}}?(?:[.,;!]| (?:and|und|y|et|e))"
    rf" (?:now|jetzt|ahora|maintenant|ora|adesso|agora|nu))"
    rf"(?: (?:it['’]?s|it is|ist es|es|c['’]est|è|é))?{_ADVERBS} {_WORD}",
    re.IGNORECASE,
)
_ENTERED = re.compile(rf" ?: {_WORD}", re.IGNORECASE)
_CHANGED = re.compile(
    rf"{_OF}(?: (?:has been|have been|was|is|wurde|ist|ha sido|a été|è stata))?{_ADVERBS}"
    rf"(?: (?:changed|set|reset|updated|switched|cambiada|changé|cambiata))?"
    rf" (?P<to>to|auf|zu|in|a|por|en|par|à|para|naar) {_VALUE}"
    rf"(?: (?:geändert|gesetzt|gestellt|umgestellt|gewechselt|gewijzigd|veranderd))?{_ENDS}",
    re.IGNORECASE,
)
_CHANGES = re2.compile(
    r"(?i)\b(?:chang|set\b|reset|updat|switch|made|änder|geänd|gesetzt|stell|gewechs|cambi|modifi|remplac|reemplaz|mud[eo]"
    r"|troq|wijzig|verander|mis\b|puse)"
)
_BARE = re.compile(
    rf"(?: (?:for|to|of|on|für|vom|von|zum|de|del|du|pour|per|di) (?:(?:the|my|our|das|den|mein|la|el|le|il) )?"
    rf"{_ACCOUNT})? {_WORD}",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    rf"(?:\A|[.!?;:,\n]\s*|\b(?:ok|so|btw|hey|hi) )(?:(?:the|my|our|your|his|her|das|mein|unser|la|mi|il|le|mon)[ ])?"
    rf"(?:(?:new|neues?|guest|gäste|{_ACCOUNT})[ -]?){{0,3}}\Z",
    re.IGNORECASE,
)
"""What may stand before a password's name that the password follows at once."""
_MINE = re.compile(r"\b(?:my|mi|ma|mia|minha|mijn|meine?|our|nuestra) (?:new |nueva )?\Z", re.IGNORECASE)
_OF_ACCOUNT = re.compile(rf"\b{_ACCOUNT}\b", re.IGNORECASE)
_SAYS_HOW = re.compile(
    r".*(?:ed|ing|able|ible|ous|less|ive|ful|lich|ig|bar|sam|los|haft|isch|[ai]d[ao]|[au]t[ao]|ée?|iert)"
    r"|(?:ge|ab|ver|zurück|be|er|ent|an|aus|um|ein|zu)\w+(?:t|en)"
    r"|(?:well|non|self|one|two|three|multi|up|out|long|short|old|case|half|over|so|pre|co|all|high|low)-.*"
)
"""Adjectives and participles, by their endings and beginnings."""
_NEAR = 80
"""The most characters before and after a name that tell what the sentence is about."""


def single_words(text: str, cues: Sequence[Cue]) -> Iterator[Span]:
    """Give the spans of passwords in *text* that are a single word, in sentences that name them with one of *cues*."""
    for cue in cues:
        if found := _said(text, cue):
            at, end = found.span("value")
            if not is_of_field(text, at, end) and _may_be(found["value"]):
                yield Span(at, end, "password")


def _said(text: str, cue: Cue) -> "re.Match[str] | None":
    """Return the word that the sentence around *cue* gives as the password."""
    name, before = text[cue.start : cue.end], text[max(0, cue.start - _NEAR) : cue.start]
    if _LOGIN.fullmatch(name):
        return None if "pass" in text[cue.end : cue.end + _NEAR].casefold() else _ENTERED.match(text, cue.end)
    sure = _NAMED.fullmatch(name)
    if not sure and not (
        _AMBIGUOUS.fullmatch(name) and (_MINE.search(before) or _OF_ACCOUNT.search(text, cue.start, cue.end + 30))
    ):
        return None
    if found := _TOLD.match(text, cue.end):
        return found
    if (found := _ASKED.match(text, cue.end)) and (found["asked"] or _CHANGES.search(before + found[0])):
        return found
    found = _CHANGED.match(text, cue.end)
    if found and _CHANGES.search(before + text[cue.end : found.end()]):
        person = found["to"] in ("a", "à") and found["value"][0].isupper()
        return None if person or found["value"].casefold() in USES else found
    if sure and _BEGINS.search(before) and (found := _BARE.match(text, cue.end)):
        return None if found["value"].casefold() in USES or found["value"][-1] == "s" else found
    return None


def _may_be(word: str) -> bool:
    """Return whether *word* may be a password: nothing that a sentence says about passwords."""
    said = word.casefold()
    if said in ORDINARY or said in COMMON or said in NO_PASSWORD or not assigned(word, "password", quoted=True):
        return False
    if word[1:] != said[1:] and not word.isupper():
        return False  # a type's name, `SecretStr`; `sentences` decides
    return word[0].isupper() or not _SAYS_HOW.fullmatch(said)
