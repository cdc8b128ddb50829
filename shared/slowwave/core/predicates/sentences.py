"""Sentences out of templates: English around objects that stay as they were said."""

import re
from collections.abc import Callable, Mapping
from datetime import date

USER = "user"
"""The subject of what the user says of themselves where no name was written down."""

_FIELD = re.compile(r"\{(\w+)\}")
_DATES = re.compile(r" \((week of |weekend of )?(\d{4})(?:-(\d\d))?(?:-(\d\d))?\)$")
_KIND = re.compile(r"(.+) \((\w[\w -]*)\)")
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip

_FIRST_PERSON = re.compile(r"\bI(?:'m| am| was)? (?=[a-z])|\b(?:me|my|myself|we|us|our|ours|ourselves)\b(?!')")
_THIRD_PERSON = {
    "I ": "they ", "I am ": "they are ", "I'm ": "they are ", "I was ": "they were ", "me": "them", "my": "their",
    "myself": "themselves", "we": "they", "us": "them", "our": "their", "ours": "theirs", "ourselves": "themselves",
}  # fmt: skip

_DETERMINED = re.compile(
    r"(?:an?|the|one|two|three|four|five|six|seven|eight|nine|ten|some|many|several|my|our|their|his|her|its|no|\d+)\b",
    re.IGNORECASE,
)
_PLURAL = re.compile(r"[^s]s$")
_BEHIND = re.compile(r" (?:in|of|on|for|with|at|from|to|that|about) ")
_SEVERAL = re.compile(r"(?:^|'s )(?:kids|children|sons|daughters|parents|grandparents|twins|sisters|brothers|friends)$")
_GERUND = re.compile(r"\w*[aeiouy]\w*ing\b")
_IRREGULAR = {"have": "has", "be": "is", "do": "does", "go": "goes"}
_BASE = {there: base for base, there in _IRREGULAR.items()}
_COPULA = re.compile(r"(?<=\}) (is|was|are|can|will)\b|(?<=\}'s)((?: \w+| \{\w+\})* (?:is|was|are))\b")
_VERB = re.compile(r"(?<=\{subject\}) ([a-z]+s)\b")


def filled(template: str, *, subject: str, object: str, rest: str = "") -> str:
    """Return the sentence that *template* makes of a *subject* and an *object*.

    Besides `{object}`, its first person in the third and its date in words, there are `{an_object}`, a thing with its
    article, `{does_object}`, a verb with its ending, and `{to_do_object}`, a verb with *to*; `{rest}` is what a `*`
    stands for.

    >>> filled("{subject} {object}", subject="Nora", object="went on a hike with my son (2026-04-03)")
    'Nora went on a hike with their son on 3 April 2026'
    """
    said = _in_third_person(_dated(object))
    values: Mapping[str, Callable[[], str]] = {
        "subject": lambda: subject,
        "object": lambda: said,
        "an_object": lambda: an(said),
        "does_object": lambda: does(said),
        "to_do_object": lambda: said if _GERUND.match(said) or said.startswith("to ") else f"to {said}",
        "rest": lambda: rest,
    }
    if _SEVERAL.search(subject):
        template = _of_several(template)
    sentence = _FIELD.sub(lambda field: values[field[1]](), template)
    begins = template[0] != "{" or sentence.startswith("the user")
    return sentence[0].upper() + sentence[1:] if begins else sentence


FIELDS = ("subject", "object", "an_object", "does_object", "to_do_object", "rest")
"""What may stand in the braces of a template."""


def template_fields(template: str) -> list[str]:
    """Return what stands in the braces of a *template*, in order."""
    return _FIELD.findall(template)


def subject_of(subject: str, called: str | None, object: str = "") -> str:
    """Return how a sentence calls its *subject*: the user as they are *called*, unless their name is the *object*.

    >>> subject_of("user", None), subject_of("user's wife", "Nora"), subject_of("Kari", "Nora")
    ('the user', "Nora's wife", 'Kari')
    """
    if subject != USER and not subject.startswith((f"{USER}'s ", f"{USER}’s ")):
        return subject
    known = called if called and called.casefold() != object.casefold() else "the user"
    return known + subject[len(USER) :]


def negative(template: str) -> str:
    """Return *template* denied.

    >>> negative("{subject} lives in {object}"), negative("{object} is {subject}'s sister")
    ('{subject} does not live in {object}', "{object} is not {subject}'s sister")
    """
    if _COPULA.search(template):
        return _COPULA.sub(lambda found: f"{found[0]} not", template, count=1)
    if _VERB.search(template):
        return _VERB.sub(lambda found: f" does not {_base(found[1])}", template, count=1)
    return f"it is not so that {template}"


def _of_several(template: str) -> str:
    """A template whose verb is that of several: `{subject} like {object}`."""
    for one, several in (("is", "are"), ("was", "were"), ("does not", "do not")):
        if template.startswith(f"{{subject}} {one} "):
            return template.replace(one, several, 1)
    return _VERB.sub(lambda found: f" {_base(found[1])}", template, count=1)


def an(thing: str) -> str:
    """Return a *thing* with an article where English wants one; a name with a kind as a kind that is called so.

    >>> an("old red car"), an("dogs"), an("three sisters"), an("Rex (dog)"), an("degree in physics")
    ('an old red car', 'dogs', 'three sisters', 'a dog called Rex', 'a degree in physics')
    """
    if named := _KIND.fullmatch(thing):
        return f"{an(named[2])} called {named[1]}"
    if not thing or _DETERMINED.match(thing) or _PLURAL.search(_BEHIND.split(thing, 1)[0]):
        return thing
    return f"{'an' if thing[0].lower() in 'aeiou' else 'a'} {thing}"


def does(action: str) -> str:
    """Return an *action* as somebody does it.

    >>> does("go swimming every Tuesday"), does("study at night"), does("watch birds")
    ('goes swimming every Tuesday', 'studies at night', 'watches birds')
    """
    verb, space, more = action.partition(" ")
    if verb in _IRREGULAR:
        ending = _IRREGULAR[verb]
    elif re.search(r"[^aeiou]y$", verb):
        ending = f"{verb[:-1]}ies"
    else:
        ending = f"{verb}es" if verb.endswith(("s", "x", "z", "ch", "sh")) else f"{verb}s"
    return f"{ending}{space}{more}"


def _base(verb: str) -> str:
    """The verb that somebody does, as one would say *to* do it."""
    if verb in _BASE:
        return _BASE[verb]
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    return verb[:-2] if verb.endswith(("ches", "shes", "sses", "xes", "zes")) else verb[:-1]


def _dated(object: str) -> str:
    """An object whose date stands in words behind it."""
    found = _DATES.search(object)
    if found is None:
        return object
    span, year, month, day = found.groups()
    if month is not None and not 1 <= int(month) <= 12:
        return object
    when = " ".join(part for part in (day and str(int(day)), month and _MONTHS[int(month) - 1], year) if part)
    before = f"in the {span}" if span == "week of " else f"on the {span}" if span else "on " if day else "in "
    return f"{object[: found.start()]} {before}{when}"


def on(day: date) -> str:
    """Return a *day* as a sentence ends in it.

    >>> on(date(2026, 4, 3))
    'on 3 April 2026'
    """
    return f"on {day.day} {_MONTHS[day.month - 1]} {day.year}"


def since(day: date) -> str:
    """Return since when, no more exactly than it was meant: the first of a month stands for it, of a year likewise.

    >>> since(date(2021, 3, 1)), since(date(2020, 1, 1)), since(date(2026, 4, 3))
    ('since March 2021', 'since 2020', 'since 3 April 2026')
    """
    if day.day != 1:
        return on(day).replace("on ", "since ", 1)
    return f"since {day.year}" if day.month == 1 else f"since {_MONTHS[day.month - 1]} {day.year}"


def _in_third_person(object: str) -> str:
    """First persons become third ones; the I of `World War I`, behind a name, is none."""
    return _FIRST_PERSON.sub(lambda found: found[0] if _numbers(found) else _THIRD_PERSON[found[0]], object)


def _numbers(found: re.Match[str]) -> bool:
    before = found.string[: found.start()].split()
    return found[0].startswith("I") and bool(before) and before[-1][:1].isupper()
