"""Troubles: what is wrong with a thing or a body, and is over when the thing works, or the body is well, again."""

import re

_TROUBLE = re.compile(
    r"\b(?:brok\w*|breaks? down|out of order|not working|(?:doesn't|does not|won't|don't) (?:\w+ )?(?:work|start|close"
    r"|open|run|turn|heat|flush|drain|charge|print|load|boot)\w*|leak\w*|drip\w*|stuck|jam(?:s|med)|crack(?:s|ed)|torn"
    r"|(?:flat|burst) (?:tyre|tire)s?|punctur\w*|fault\w*|defect\w*|flaky|slow|crash\w*|fail(?:s|ed|ing)|bugs?|buggy"
    r"|errors?|damage\w*|dead|down|offline|block(?:ed|s)|clog\w*|noisy|rattl\w*|squeak\w*|wobbl\w*|loose|rust\w*"
    r"|mould\w*|mold\w*|damp|flood\w*|smells?|hurt(?:s|ing)?|sore|pain\w*|ach(?:e|es|ing)|\w+ache|swollen|sprain\w*"
    r"|twist(?:ed|s)|strain(?:ed|s)|fractur\w*|injur\w*|inflam\w*|infect\w*|ill|sick|unwell|cold|flu|cough\w*|fever"
    r"|limp(?:s|ing)|stiff|bad|wounds?|bruis\w*|burn(?:s|t|ed)|rash|itch\w*|in (?:plaster|a cast|a sling)"
    r"|problems?|issues?|trouble|disputes?|quarrel\w*|conflicts?|mess|wrong|missing|too (?:cold|hot|loud|slow)"
    r"|to (?:be |get |have )?(?:[\w-]+ ){0,3}?(?:fix|repair|mend)\w*"
    r"|at the (?:garage|mechanic\w*|workshop|repair shop|vet\w*)|(?:in|being|under|needs?|for) (?:repairs?|fix\w*))\b",
    re.IGNORECASE,
)

_NOW = re.compile(r"(?:\b(?:is|are|looks?)|['\u2019](?:s|re)) [\w ]+ now\b", re.IGNORECASE)
_OVER = re.compile(r"\b(?:back|home|here|gone|over|past|new|fast|stable|\w{3,}ed)\b", re.IGNORECASE)


def is_trouble(text: str) -> bool:
    """Return whether a sentence says what is wrong with somebody or something.

    >>> is_trouble("Sam's boiler is broken"), is_trouble("Sam's boiler is a Vaillant")
    (True, False)
    """
    return _TROUBLE.search(text) is not None


def is_of_looks(text: str) -> bool:
    """Return whether a sentence says only how or where something is now, which mends nothing.

    >>> is_of_looks("the roof is red now"), is_of_looks("the roof is finally mended"), is_of_looks("it is back now")
    (True, False, False)
    """
    return _NOW.search(text) is not None and _OVER.search(text) is None
