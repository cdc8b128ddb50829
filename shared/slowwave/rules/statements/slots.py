"""Slots: properties with one value at a time, however they are worded. `Nora's rent is 950 a month` fills `rent`."""

import re

from slowwave.core.predicates.plurals import single
from slowwave.rules.regexes import Glance
from slowwave.rules.statements.words import DETERMINERS, PREPOSITIONS, these

HOME = "home: place"
"""The slot of somebody's home; "moved to York" fills it too, and stays valid from then on."""
_MOST_WORDS = 5
"""The most words in the name of a slot; a longer subject is not a property with a value."""
_RUNS = "runs on|is written in|is built with|is hosted on|is called|is named|'s called|'s named"
_FILLED = re.compile(
    r"^(?P<whose>the (?:team|user)'s |the |our |(?:[^'\s]+ ){0,2}?[^'\s]+'s )?(?P<what>\w[\w' /.-]*?)"
    rf"(?:(?P<runs> ?(?:{_RUNS}))| (?:is|costs|starts|begins|opens|closes"
    r"|(?:(?:was|got|has been|has|is) )?moved(?: from .+?)? to))"
    r"(?: (?:now|still|currently|officially))? (?P<value>\S.*)",
    re.IGNORECASE,
)
_KEPT = re.compile(
    r"^(?:The user|\S+) (?:still |now )?(?:keeps|stores|parks|moors) their (?P<what>.+?)"
    r" (?P<value>(?:in|at|on|near) .+)"
)
_MAY_BE_FILLED = Glance(_FILLED)
_COMMUTE = re.compile(
    r"\bcommutes?\b|\b(?:rides|drives|cycles|bikes|walks|takes|gets|goes)\b.{0,30}\bto (?:work|the office|school)\b",
    re.IGNORECASE,
)
_HOME = re.compile(
    r"^\S+ (?:(?:is|has|still|now|currently) )*"
    r"(?:(?:lives?|living|rents?|renting|kipping|crashing|lodging)(?: \w+){0,4}? (?:in|at|with|w)"
    r"|(?:stays?|staying) (?:at|with) (?:their|\w+'s)"
    r"|moved (?:in with|into|back to|to))"
    r" (?!touch|bed|tune|line|case|it\b|them\b|the |an? |another |part|full|days|nights)\S",
    re.IGNORECASE,
)
_DATE = r"\d{1,2} (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{4}"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_VALUES = (
    ("day", re.compile(rf"(?:(?:due|planned|scheduled|booked|set|on|for|at|by|in|until) )*(?:{_DATE}|{_DAY})\b", re.I)),
    ("number", re.compile(r"(?:(?:about|around|over|under|nearly|at|up to|down to) )*[£$€]?\d")),
    ("place", re.compile(r"(?:in|at|on|with|near|outside) (?:the )?(?!I\b)[A-Z]")),
    ("name", re.compile(r"(?!I\b)(?:[A-Z]|[a-z][\w-]*(?:\.[\w-]+)+)")),
)
"""The kinds of values, each with a pattern for its start; a slot holds one of each kind."""
_OF_MANY = these(
    """friend mate buddy brother sister sibling cousin son daughter child kid aunt uncle niece nephew grandson
    granddaughter colleague coworker classmate teammate neighbour neighbor client customer guest pet cat dog one thing
    hobby goal dream idea reason problem point part side way day time bit lot favourite favorite family book movie film
    song game show recipe story guy girl person place city restaurant event trip question answer name"""
)
"""Nouns that people have several of, or that say too little alone."""


def slot_of(text: str) -> str | None:
    """Return the slot that a sentence fills, with the kind of its value; None if it fills none.

    >>> slot_of("Nora's rent is 950 a month"), slot_of("The team's ci runs on jenkins"), slot_of("The server is a.b.c")
    ('rent: number', 'ci: name', 'server: name')
    >>> slot_of("Nora's thesis is due on 9 May 2026"), slot_of("Nora's thesis deadline is 23 May 2026")
    ('thesis deadline: day', 'thesis deadline: day')
    >>> slot_of("Nora's caravan is at Filey"), slot_of("Nora keeps their caravan in Whitby")
    ('caravan: place', 'caravan: place')
    >>> slot_of("Nora cycles to work"), slot_of("Nora commutes by train")
    ('commute: way', 'commute: way')
    >>> slot_of("Nora's brother is Tom"), slot_of("Nora's car is red"), slot_of("Nora is in Paris")
    (None, None, None)
    """
    if _COMMUTE.search(text):
        return "commute: way"
    if _HOME.match(text):
        return HOME
    kept = _KEPT.match(text)
    found = kept or (_FILLED.match(text) if _MAY_BE_FILLED.in_(text) else None)
    if found is None:
        return None
    words, value = found["what"].lower().split(), found["value"]
    if len(words) > 1 and words[0] in ("new", "current", "present", "latest"):
        words.pop(0)
    if len(words) > 1 and words[-1] == "name":
        words.pop()
    head = words[-1].rpartition("'s")[2] or words[-1]
    if len(words) > _MOST_WORDS or head in _OF_MANY or single(head) != head:
        return None
    if any(word in DETERMINERS or word in PREPOSITIONS for word in words):
        return None
    kind = (
        "name" if not kept and found["runs"] else next((kind for kind, begins in _VALUES if begins.match(value)), None)
    )
    due = value.lower().startswith("due ")
    if kind is None or not (found["whose"] or due if not kept else kind == "place"):
        return None
    return f"{' '.join(words)}{' deadline' if due and head != 'deadline' else ''}: {kind}"
