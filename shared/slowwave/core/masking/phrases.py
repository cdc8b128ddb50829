"""Passwords that are ordinary words: a single one, a passphrase, or the answer to a security question."""

import re
from collections.abc import Iterator, Sequence

import re2

from slowwave.core.masking.formats import is_of_field
from slowwave.core.masking.spans import MASK, PATTERNS, Span, amount, assigned
from slowwave.core.masking.words import COMMON, DEMANDS, NO_PASSWORD, ORDINARY, USES, Cue

_NAMED = re2.compile(
    r"(?i)pass ?(?:word|wort|code|phrase|key)|passw[dr]|pw|kennwort|wachtwoord|mdp|senha|palavra-passe|mot de passe"
    r"|contrase(?:ñ|n)a|(?:safe|security|secret|pick-?up) ?word|code ?wor[dt]|losungswort"
    r"|(?:wi-?fi|wlan)[ -]?(?:key|code|schlüssel)|(?:wi-?fi|wlan|router) pass"
)
_LOGIN = re2.compile(r"(?i)log-?in|sign-?in")
_AMBIGUOUS = re2.compile(r"(?i)claves?|parola (?:d.ordine|chiave)|contra|(?:clé|chiave|sleutel) .*")
"""Words that mean a password only beside the name of an account."""
_ACCOUNT = f"(?:{PATTERNS['accounts']})"
_OF = (
    r"(?: (?:for|to|of|on|at|from|that|which|i|we|you|für|fürs|vom|von|zum|zur|im|am|der|des|meines|unserer|de|del|para"
    r"|en|pa|pour|du|des|per|di|della|dello|del|da|do|van|voor|pro|nueva|nuevo|nova|nuova)\b[^.!?\n:;,]{0,50}?"
    rf"| {_ACCOUNT}\b)?"
)
_ADVERBS = (
    r"(?: (?:now|still|just|currently|actually|probably|always|simply|literally|again|jetzt|immer|noch|nun|wieder"
    r"|aktuell|ahora|todavía|siempre|maintenant|toujours|ora|adesso|ancora|sempre|agora|ainda|nu|nog))*"
)
_IS_ONE_WORD = (
    r"(?:(?<=word|code|rase)['’]s| (?:is|was|will be|ist|war|lautet|heißt|heisst|es|era|sigue siendo|será|est|était|è|é"
    r"|c['’]est)\b:?| ?(?::(?=\s)| →| =(?= (?-i:[A-ZÀ-Þ]))))"
)
_ENDS = (
    r"(?=[\"'”’)]?(?:[.,](?!\w)|[;!?)\n]|\s*\Z| (?:-|–|—|and|but|because|so|as|if|in case|btw|by the way|please|pls"
    r"|don'?t|now|again|lol|i (?:think|believe|guess)|und|aber|weil|falls|bitte|glaub|y|pero|porque|creo|por si|et|mais"
    r"|parce|je crois|au cas|e|ma|perché|nel caso|mas|maar|want)\b)"
    r"|\s*(?:-|–|—)\s)"
)
"""Text that may follow a password: the end of a sentence, or its next part."""
_VALUE = r"[\"'“„«‘]?(?P<value>[^\W\d_]{3,30}(?:-[^\W\d_]{2,20}){0,3})"
_WORD = _VALUE + _ENDS
_STATED = re.compile(rf"{_OF}{_IS_ONE_WORD}{_ADVERBS} ?{_WORD}", re.IGNORECASE)
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
"""Text that may precede a password's name, if the password follows at once."""
_MINE = re.compile(r"\b(?:my|mi|ma|mia|minha|mijn|meine?|our|nuestra) (?:new |nueva )?\Z", re.IGNORECASE)
_OF_ACCOUNT = re.compile(rf"\b{_ACCOUNT}\b", re.IGNORECASE)
_SAYS_HOW = re.compile(
    r".*(?:ed|ing|able|ible|ous|less|ive|ful|lich|ig|bar|sam|los|haft|isch|[ai]d[ao]|[au]t[ao]|ée?|iert)"
    r"|(?:ge|ab|ver|zurück|be|er|ent|an|aus|um|ein|zu)\w+(?:t|en)"
    r"|(?:well|non|self|one|two|three|multi|up|out|long|short|old|case|half|over|so|pre|co|all|high|low)-.*"
)
"""Adjectives and participles, by their endings and beginnings."""
_WITHIN = 80
"""The maximum number of characters before and after a name that show the subject of the sentence."""
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
"""A remark about the spelling of a passphrase: `all lower case`, `with spaces`."""
_NEAR = 150
"""The maximum number of characters between the name of a seed phrase and its first word."""
_SEED_WORD = re.compile(r"(?:\d{1,2}[.)]:?)?[a-zß-öø-ÿ]{3,10}(?P<last>[,;]?)|\d{1,2}[.):]?")
"""A word of a seed phrase, possibly numbered."""
_SAYS_WORDS = re2.compile(
    r"(?i)pass|kennwort|wachtwoord|contra|clave|senha|phrase|\bmots? |\bmdp\b|parola|wi-?fi|wlan|word\b"
)
_SAYS_VAULT = re2.compile(r"(?i)keepass|ssh-keygen|gpg|veracrypt|luks|bitwarden")
_FAR = 200
"""The maximum number of characters between a security question and its answer."""


def single_words(text: str, cues: Sequence[Cue]) -> Iterator[Span]:
    """Give the spans of passwords in *text* that are a single word, in sentences that name them with one of *cues*."""
    for cue in cues:
        if found := _password_match(text, cue):
            at, end = found.span("value")
            if not is_of_field(text, at, end) and _may_be(found["value"]):
                yield Span(at, end, "password")


def _password_match(text: str, cue: Cue) -> "re.Match[str] | None":
    """Return the match of the password in the sentence around *cue*."""
    name, before = text[cue.start : cue.end], text[max(0, cue.start - _WITHIN) : cue.start]
    if _LOGIN.fullmatch(name):
        return None if "pass" in text[cue.end : cue.end + _WITHIN].casefold() else _ENTERED.match(text, cue.end)
    sure = _NAMED.fullmatch(name)
    if not sure and not (
        _AMBIGUOUS.fullmatch(name) and (_MINE.search(before) or _OF_ACCOUNT.search(text, cue.start, cue.end + 30))
    ):
        return None
    if found := _STATED.match(text, cue.end):
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
    """Return whether *word* may be a password, rather than a word about passwords."""
    folded = word.casefold()
    if folded in ORDINARY or folded in COMMON or folded in NO_PASSWORD or not assigned(word, "password", quoted=True):
        return False
    if word[1:] != folded[1:] and not word.isupper():
        return False  # a type's name, `SecretStr`; `sentences` decides
    return word[0].isupper() or not _SAYS_HOW.fullmatch(folded)


def phrases(text: str, cues: Sequence[Cue]) -> Iterator[Span]:
    """Give the spans of secrets of several words in *text*: passphrases near *cues*, answers, and seed phrases."""
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
    """Give the spans of 12 to 24 words that look like a seed phrase and begin between *start* and *end*."""
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
    """Return whether words after `is` are a secret rather than an ordinary clause."""
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
