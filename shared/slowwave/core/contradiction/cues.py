"""Cues: the words by which people report that something has changed, in English, German and Spanish."""

import re

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


def _any_of(*words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)


REPORTS = _any_of(_CHANGED)
"""Words that report a change."""
_OVER = re.compile(
    r"\b(?:no longer|(?:has |have )?(?:stopped|ceased|quit)) (?P<over>[^.;:!?]+)"
    r"|(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!\bbeen )(?<!\bgot )(?<!\bbe )"
    r"\b(?:sold|cancell?ed|dropped|deleted|removed|scrapped|closed|gave up|given up|got rid of|gave away) "
    r"(?P<done>(?:the|its|my|our|his|her|their|an?|some|all|both|two|one|\w+['\u2019]s) [^.,;:!?]+?)"
    r"(?=[.,;:!?]|$| (?:from|at|in|on|and|but|so|because|since|when|while|after|before|until|last|this|yesterday)\b)",
    re.IGNORECASE,
)


def over_in(text: str) -> str:
    """Return what *text* says that its subject does or has no longer; all of it, if it is put in other words.

    >>> over_in("the post office no longer sells stamps"), over_in("the theatre cancelled tonight's show")
    ('sells stamps', "tonight's show")
    >>> over_in("the choir has folded"), over_in("the boat was sold")
    ('the choir has folded', 'the boat was sold')
    """
    found = _OVER.search(text)
    return (found["over"] or found["done"]) if found else text


MAY_REPORT = _any_of(_CHANGED, _OFTEN_CHANGED, _GERMAN, _SPANISH)
"""Words that often report a change, and often do not."""
MAY_BE_NEWS = _any_of(_CHANGED, _OFTEN_CHANGED, _NEWER, _GERMAN, _SPANISH)
"""Words that often report a change, a correction, or something that came true."""
AMOUNTS = _any_of(
    r"(?:gone|went|go(?:es|ing)|crept|shot|put|come|came) (?:(?:right|way|back|straight) )?(?:up|down)|risen|rose"
    r"|fallen|fell|climbed|rocketed|doubl(?:ed|ing)|tripled|halv(?:ed|ing)|(?:in|de)creas(?:ed|ing)|rais(?:ed|ing)"
    r"|lower(?:ed|ing)|reduc(?:ed|ing)|upped|dearer|cheaper|more expensive"
)
"""Words by which something costs or measures more or less, and is otherwise what it was."""
PARTS = _any_of(
    r"let go|left|leav\w+|quit|retir\w+|resign\w+|sacked|fired|redundant|laid off|dead|died|passed away|put down|gone"
    r"|away|no longer|any ?more|ex|broken? (?:up|off)|split|divorc\w+|separat\w+|dumped|f[ea]ll(?:en)? out|replac\w+"
    r"|t(?:ook|akes|aken) over|another|different|instead|goodbye|(?:lives|stays) with (?!me\b|us\b)"
)
"""Words by which somebody is no longer what they were to somebody else."""
