"""Stems for comparing the things that beliefs and news are about, and words that report a change or a fault."""

import re
from functools import lru_cache

from slowwave.core.predicates.english import FUNCTION_WORDS, IRREGULAR, single, these
from slowwave.word_lists import texts

_WORD = re.compile(r"\d+(?:[.,:/]\d+)+|[^\W_]+(?:['\u2019][^\W_]+)?")
TEXTS = texts("contradiction")
"""The lists of `contradiction.txt`, by name."""
_GRAMMAR = FUNCTION_WORDS | these(TEXTS["grammar"])
"""Words that are not part of a matter's name."""
_ENDINGS = ("ing", "ied", "ed")
_NOUNS = frozenset(("bore", "bound", "felt", "lay", "shot", "thought", "wound"))
"""Verb forms that are mostly nouns or forms of other verbs."""
_FORMS = {form: forms[0] for forms in IRREGULAR for form in forms[1:] if form != forms[0] and form not in _NOUNS}
_FORMS |= dict(
    pair.split("/")
    for pair in these(
        """lives/live leaves/leave uses/use used/use using/use goes/go tried/try died/die dying/die agreed/agree
        seeing/see cancelled/cancel cancelling/cancel travelled/travel travelling/travel"""
    )
)
"""Irregular verb forms to their base forms."""
_CHANGED = (
    r"no longer|any ?more|instead|switch(?:ed|es)|quit"
    r"|left(?! (?:for (?:work|school)|early|home|at|an?|some|me|us)\b)|gave up|given up|gives up"
    r"|stopped(?! (?:at|by|in|off)\b)|stops|hung up"
    r"|hangs up|retired|retires|sold|lost (?:my|the|his|her|their|its)|cancell?ed|broke up|split up|ended|is over"
    r"|are over|dropped|fixed|solved|resolved|passed|finished|died|sacked|got fired|was fired|resigned"
    r"|scrapped|replaced|handed in|postponed"
)
_OFTEN_CHANGED = (
    r"no more|over|off|done|gone|out|away|new|now|moved|changed?|became|turned|started|began|closed|broke|broken|cut"
    r"|swapped|traded|used to|finally|at last|lost|gave|sent|put|came|went|got|bought"
)
_NEWER = (
    r"from now on|nowadays|these days|pushed|bumped|upgraded|delayed|rescheduled|extended|slipped|brought forward"
    r"|shipped|live|guess who|history|took over|takes over|renamed|sorry|scratch that|correction|I meant|actually|oops"
    r"|argh|nah|after all|(?:was|were) here|back from|home from|since(?! when)|as of|slips|stole|stolen|nicked|typo"
    r"|wrong(?:ly)?|mis(?:read|typed|spelt|counted|heard)|should be|on sabbatical|not \d[\d.,]*"
)
_GERMAN = (
    r"jetzt|nun|nunmehr|inzwischen|mittlerweile|neuerdings|seit(?:dem|her)?|nimmer|nicht mehr|keine?[nmrs]? mehr|statt"
    r"|stattdessen|doch|verkauft|gekündigt|umgezogen|gewechselt|umgestiegen|verschoben|verlegt|abgesagt|vorbei|fertig"
    r"|neue[rsnm]?|ab sofort|geschafft|ach nein|beendet|aufgehört|aufgegeben|getrennt|gestorben|erledigt|endlich"
)
_SPANISH = (
    r"ahora|ya|dej[éeó]|dejamos|vend[iíeó]\w*|cambi\w+|cancel[óoaé]\w*|aplaz\w+|por fin|desde|nuev[oa]s?|termin\w+"
    r"|perd[oó]n|mejor dicho|en vez de|en lugar de|se acab\w+|muri[óo]|falleci\w+|renunci\w+|me mud\w+|pospu\w+|hasta"
)
_OVER = re.compile(
    r"\b(?:no longer|(?:has |have )?(?:stopped|ceased|quit)) (?P<over>[^.;:!?]+)"
    r"|(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!\bbeen )(?<!\bgot )(?<!\bbe )"
    r"\b(?:sold|cancell?ed|dropped|deleted|removed|scrapped|closed|gave up|given up|got rid of|gave away) "
    r"(?P<done>(?:the|its|my|our|his|her|their|an?|some|all|both|two|one|\w+['\u2019]s) [^.,;:!?]+?)"
    r"(?=[.,;:!?]|$| (?:from|at|in|on|and|but|so|because|since|when|while|after|before|until|last|this|yesterday)\b)",
    re.IGNORECASE,
)
_TROUBLE = re.compile(
    r"\b(?:brok\w*|breaks? down|out of order|not working|(?:doesn't|does not|won't|don't) (?:\w+ )?(?:work|start|close"
    r"|open|run|turn|heat|flush|drain|charge|print|load|boot)\w*|leak\w*|drip\w*|stuck|jam(?:s|med)|crack(?:s|ed)|torn"
    r"|(?:flat|burst) (?:tyre|tire)s?|punctur\w*|fault\w*|defect\w*|flaky|slow|crash\w*|fail(?:s|ed|ing)|bugs?|buggy"
    r"|errors?|damage\w*|dead|down|offline|block(?:ed|s)|clog\w*|noisy|nois(?:e|es)|rattl\w*|squeak\w*|wobbl\w*|loose|rust\w*"
    r"|mould\w*|mold\w*|damp|flood\w*|smells?|hurt(?:s|ing)?|sore|pain\w*|ach(?:e|es|ing)|\w+ache|swollen|sprain\w*"
    r"|twist(?:ed|s)|strain(?:ed|s)|fractur\w*|injur\w*|inflam\w*|infect\w*|ill|sick|unwell|cold|flu|cough\w*|fever"
    r"|limp(?:s|ing)|stiff|bad|wounds?|bruis\w*|burn(?:s|t|ed)|rash|itch\w*|in (?:plaster|a cast|a sling)"
    r"|problems?|issues?|trouble|disputes?|quarrel\w*|conflicts?|mess|wrong|missing|too (?:cold|hot|loud|slow)"
    r"|to (?:be |get |have )?(?:[\w-]+ ){0,3}?(?:fix|repair|mend)\w*"
    r"|at the (?:garage|mechanic\w*|workshop|repair shop|vet\w*)|(?:in|being|under|needs?|for) (?:repairs?|fix\w*))\b",
    re.IGNORECASE,
)
_NOW = re.compile(r"(?:\b(?:is|are|looks?)|['\u2019](?:s|re)) [\w ]+ now\b", re.IGNORECASE)
_MENDED = re.compile(r"\b(?:back|home|here|gone|over|past|new|fast|stable|\w{3,}ed)\b", re.IGNORECASE)


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Return the common part of a word's forms, for comparison; it is never shown.

    >>> [stem(word) for word in ("smoking", "smokes", "smoked", "stopped", "courses", "boss", "bought", "studies")]
    ['smok', 'smok', 'smok', 'stop', 'cours', 'boss', 'buy', 'study']
    """
    word = word.casefold().replace("\u2019", "'").removesuffix("'s")
    word = _FORMS.get(word) or single(word)
    if not word.isalpha() or len(word) < 4:
        return word
    for ending in _ENDINGS:
        base = word.removesuffix(ending)
        if base != word and len(base) >= 3:
            word = f"{base}y" if ending == "ied" else base
            word = word[:-1] if word[-1] == word[-2] and word[-1] not in "lsz" else word
            break
    return word.removesuffix("e") if len(word) > 3 else word


def stems(text: str) -> frozenset[str]:
    """Return the stems of the words of a list."""
    return frozenset(map(stem, text.split()))


def is_verb_form(word: str) -> bool:
    """Return True for a form of an irregular verb: `sold`, `left`, `goes`."""
    return word.casefold() in _FORMS


@lru_cache(maxsize=4_096)
def words_of(text: str) -> tuple[str, ...]:
    """Return the stems of the content words in *text*, once each, in order.

    >>> words_of("my old Honda"), words_of("the Spanish courses on Mondays"), words_of("Python 3.13")
    (('honda',), ('spanish', 'cours', 'monday'), ('python', '3.13'))
    """
    found = (word for word in _WORD.findall(text.replace("_", " ")) if word.casefold() not in _GRAMMAR)
    return tuple(dict.fromkeys(stem(word) for word in found if len(word) > 1 or word.isdigit()))


def _any_of(*words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)


REPORTS = _any_of(_CHANGED)
"""Words that report a change."""


def over_in(text: str) -> str:
    """Return the words of *text* that name what has ended; the whole text if its wording is unknown.

    >>> over_in("the post office no longer sells stamps"), over_in("the theatre cancelled tonight's show")
    ('sells stamps', "tonight's show")
    >>> over_in("the choir has folded"), over_in("the boat was sold")
    ('the choir has folded', 'the boat was sold')
    """
    found = _OVER.search(text)
    return (found["over"] or found["done"]) if found else text


MAY_REPORT = _any_of(_CHANGED, _OFTEN_CHANGED, _GERMAN, _SPANISH)
"""Words that often report a change, but not always."""
MAY_BE_NEWS = _any_of(_CHANGED, _OFTEN_CHANGED, _NEWER, _GERMAN, _SPANISH)
"""Words that often report a change, a correction, or something that came true."""
AMOUNTS = _any_of(
    r"(?:gone|went|go(?:es|ing)|crept|shot|put|come|came) (?:(?:right|way|back|straight) )?(?:up|down)|risen|rose"
    r"|fallen|fell|climbed|rocketed|doubl(?:ed|ing)|tripled|halv(?:ed|ing)|(?:in|de)creas(?:ed|ing)|rais(?:ed|ing)"
    r"|lower(?:ed|ing)|reduc(?:ed|ing)|upped|dearer|cheaper|more expensive"
)
"""Words for a changed price or size of an otherwise unchanged thing."""
PARTS = _any_of(
    r"let go|left|leav\w+|quit|retir\w+|resign\w+|sacked|fired|redundant|laid off|dead|died|passed away|put down|gone"
    r"|away|no longer|any ?more|ex|broken? (?:up|off)|split|divorc\w+|separat\w+|dumped|f[ea]ll(?:en)? out|replac\w+"
    r"|t(?:ook|akes|aken) over|another|different|instead|goodbye|(?:lives|stays) with (?!me\b|us\b)"
)
"""Words for the end of a relation between people."""


def is_trouble(text: str) -> bool:
    """Return whether a sentence reports a problem of a person or thing.

    >>> is_trouble("Sam's boiler is broken"), is_trouble("Sam's boiler is a Vaillant")
    (True, False)
    """
    return _TROUBLE.search(text) is not None


def is_of_looks(text: str) -> bool:
    """Return whether a sentence says only how something looks or where it is, which solves no problem.

    >>> is_of_looks("the roof is red now"), is_of_looks("the roof is finally mended"), is_of_looks("it is back now")
    (True, False, False)
    """
    return _NOW.search(text) is not None and _MENDED.search(text) is None
