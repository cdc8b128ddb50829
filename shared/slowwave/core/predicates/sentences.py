"""Templates of sentences. The text around an object is English, and the object keeps its original words."""

import re
from collections.abc import Callable, Mapping
from datetime import date
from functools import lru_cache

from slowwave.core.predicates.english import MONTHS, NUMBER, is_several, with_s

USER = "user"
"""The subject of a user's statements about themselves, if no name is known."""

_FIELD = re.compile(r"\{(\w+)\}")
_DATES = re.compile(r" \((week of |weekend of )?(\d{4})(?:-(\d\d))?(?:-(\d\d))?\)$")
_RANGE = re.compile(r" \((\d{4}-\d\d-\d\d) to (\d{4}-\d\d-\d\d)\)$")
_DAY = re.compile(r"\d{4}-\d\d-\d\d$")
_MONTHS = tuple(map(str.capitalize, MONTHS))
_KIND = re.compile(r"(?:(.+) \((\w[\w -]*)\)|([^\W\d_a-z][\w'-]*), an? (\w[\w -]*))")
_FIRST_PERSON = re.compile(r"\bI(?:'m| am| was)? (?=[a-z])|\b(?:me|my|myself|we|us|our|ours|ourselves)\b(?![-'])")
_QUOTED = re.compile(r"(“[^”]*”)")
_THIRD_PERSON = {
    "I ": "they ", "I am ": "they are ", "I'm ": "they are ", "I was ": "they were ", "me": "them", "my": "their",
    "myself": "themselves", "we": "they", "us": "them", "our": "their", "ours": "theirs", "ourselves": "themselves",
}  # fmt: skip

_DETERMINED = re.compile(rf"(?:an?|the|{NUMBER}|some|many|several|my|our|their|his|her|its|no|\d+)\b", re.IGNORECASE)
_VOWEL = re.compile(
    r"(?!(?i:uni(?![nm])|us[eu]|eu|one\b|once\b|uk|uti|u[- ]))(?i:[aeiou]|hour|honest|honou?r|heir)"
    r"|[FHLMNRSX](?=[A-Z0-9])[A-Z0-9]*\b"
)
_PLURAL = re.compile(r"[^s]s$")
_PREPOSITION = re.compile(r" (?:in|of|on|for|with|at|from|to|that|about) ")
_GERUND = re.compile(r"\w*[aeiouy]\w*ing\b")
_LISTED_VERB = re.compile(
    r"(, (?:and |or )?)(bake|collect|cook|cycle|dance|do|draw|drink|eat|garden|go|hang|have|hike|jog|knit|listen|make"
    r"|meditate|meet|paint|play|read|ride|run|sing|sew|swim|take|talk|teach|travel|visit|volunteer|watch|write)\b"
)
_IRREGULAR = {"have": "has", "be": "is", "do": "does", "go": "goes"}
_BASE = {there: base for base, there in _IRREGULAR.items()}
_PAST = re.compile(
    r"was|were|had|did|went|got|made|took|gave|saw|met|found|bought|sold|began|came|left|lost|won|ran|wrote|told|said"
    r"|knew|grew|kept|held|led|brought|taught|built|sent|spent|chose|ate|drank|drove|rode|sang|swam|wore|can|will|\w+ed"
)
_HEADS = (
    "name", "number", "size", "colour", "color", "date", "day", "time", "place", "address", "city", "country", "code",
    "language", "level", "role", "status", "team", "title", "tool", "type", "version", "plan", "goal", "budget",
)  # fmt: skip
"""Nouns for things that people have: `shirt_size`."""
_COPULA = re.compile(r"(?<=\}) (is|was|are|can|will|has(?= been))\b|(?<=\}'s)((?: \w+| \{\w+\})* (?:is|was|are))\b")
_VERB = re.compile(r"(?<=\{subject\}) ([a-z]+s)\b")
FIELDS = ("subject", "object", "an_object", "place_object", "did_object", "does_object", "to_do_object", "rest")
"""The field names allowed in a template."""


@lru_cache(maxsize=4_096)
def filled(template: str, *, subject: str, object: str, rest: str = "") -> str:
    """Return the sentence that *template* gives for a *subject* and an *object*; the template `{object}` gives the
    object unchanged.

    In the fields of the object, first persons are changed to the third, and dates are in words. `{an_object}` gets an
    article, and `{place_object}` gets one unless it is capitalised. `{did_object}` is a past verb in lower case,
    `{does_object}` a verb with its ending, and `{to_do_object}` a verb with *to*. `{rest}` is the part that a `*`
    stands for.

    >>> filled("{subject} {object}", subject="Nora", object="went on a hike with my son (2026-04-03)")
    'Nora went on a hike with their son on 3 April 2026'
    >>> filled("{subject} is {object}", subject="Nora", object="on leave (2026-05-01 to 2026-07-31)")
    'Nora is on leave from 1 May 2026 to 31 July 2026'
    >>> filled("{subject} is due on {object}", subject="slides", object="6 March")
    'slides are due on 6 March'
    """
    if template == "{object}":
        return object
    phrase = _in_third_person(_dated(object), subject)
    values: Mapping[str, Callable[[], str]] = {
        "subject": lambda: subject,
        "object": lambda: phrase,
        "an_object": lambda: an(phrase),
        "place_object": lambda: phrase if phrase[:1].isupper() else an(phrase),
        "did_object": lambda: did(phrase),
        "does_object": lambda: does(phrase),
        "to_do_object": lambda: to_do(phrase),
        "rest": lambda: rest,
    }
    if is_several(subject):
        template = _of_several(template).replace(
            "{subject}'s", "{subject}'" if subject.endswith("s") else "{subject}'s"
        )
    sentence = _FIELD.sub(lambda field: values[field[1]](), template)
    begins = not template.startswith("{subject}") or sentence.startswith("the user")
    return sentence[:1].upper() + sentence[1:] if begins else sentence


def template_fields(template: str) -> list[str]:
    """Return the field names of a *template*, in order."""
    return _FIELD.findall(template)


def plain_template(predicate: str) -> str:
    """Return the default template of a predicate: a verb phrase (`works with`), or a possession (`'s shirt size`).

    >>> plain_template("deploys_with"), plain_template("went_to"), plain_template("working_on")
    ('{subject} deploys with {object}', '{subject} went to {object}', '{subject} is working on {object}')
    >>> plain_template("shirt_size"), plain_template("married_to")
    ("{subject}'s shirt size is {object}", '{subject} is married to {object}')
    """
    words = predicate.replace("_", " ").strip()
    verb, _, more = words.partition(" ")
    if _GERUND.fullmatch(verb) or (verb.endswith("ed") and more in ("to", "with", "in", "at", "by", "from")):
        return f"{{subject}} is {words} {{object}}"
    finite = _PAST.fullmatch(verb) or (verb.endswith("s") and not verb.endswith(("ss", "us")))
    if finite or (more and not more.endswith(_HEADS)):
        return f"{{subject}} {words} {{object}}"
    return f"{{subject}}'s {words} is {{object}}"


def subject_of(subject: str, called: str | None, object: str = "") -> str:
    """Return the text for a sentence's *subject*: the user appears as *called*, unless that name is the *object*.

    >>> subject_of("user", None), subject_of("user's wife", "Nora"), subject_of("Kari", "Nora")
    ('the user', "Nora's wife", 'Kari')
    """
    if subject != USER and not subject.startswith((f"{USER}'s ", f"{USER}’s ")):
        return subject
    known = called if called and called.casefold() != object.casefold() else "the user"
    return known + subject[len(USER) :]


def negative(template: str) -> str:
    """Return *template* in the negative.

    >>> negative("{subject} lives in {object}"), negative("{object} is {subject}'s sister")
    ('{subject} does not live in {object}', "{object} is not {subject}'s sister")
    """
    if _COPULA.search(template):
        return _COPULA.sub(lambda found: f"{found[0]} not", template, count=1)
    if _VERB.search(template):
        return _VERB.sub(lambda found: f" does not {base(found[1])}", template, count=1)
    return f"it is not so that {template}"


def _of_several(template: str) -> str:
    """The template with a plural verb: `{subject} like {object}`."""
    for one, several in (("is", "are"), ("was", "were"), ("does not", "do not")):
        if template.startswith(f"{{subject}} {one} "):
            return template.replace(one, several, 1)
    return _VERB.sub(lambda found: f" {base(found[1])}", template, count=1)


def an(thing: str) -> str:
    """Return *thing* with an article if English needs one; a name with a kind becomes "a kind called name".

    >>> an("old red car"), an("dogs"), an("three sisters"), an("Rex (dog)"), an("degree in physics")
    ('an old red car', 'dogs', 'three sisters', 'a dog called Rex', 'a degree in physics')
    >>> an("Rex, a grey dog")
    'a grey dog called Rex'
    """
    if named := _KIND.fullmatch(thing):
        return f"{an(named[2] or named[4])} called {named[1] or named[3]}"
    if not thing or _DETERMINED.match(thing) or _PLURAL.search(_PREPOSITION.split(thing, 1)[0]):
        return thing
    return f"{'an' if _VOWEL.match(thing) else 'a'} {thing}"


def did(action: str) -> str:
    """Return an *action* as it follows a subject.

    >>> did("Took a short trip"), did("IBM hired them")
    ('took a short trip', 'IBM hired them')
    """
    verb = action.partition(" ")[0]
    return verb.lower() + action[len(verb) :] if _PAST.fullmatch(verb.lower()) else action


def does(action: str) -> str:
    """Return an *action* in the third person singular.

    >>> does("go swimming every Tuesday"), does("study at night"), does("cook and bake")
    ('goes swimming every Tuesday', 'studies at night', 'cooks and bakes')
    >>> does("watch films, hike, and have game nights"), does("eats fish"), does("miss Rome")
    ('watches films, hikes, and has game nights', 'eats fish', 'misses Rome')
    """
    verb, space, more = action.partition(" ")
    more = _LISTED_VERB.sub(lambda found: found[1] + does(found[2]), more) if " to " not in more else more
    if more.startswith("and "):
        more = f"and {does(more[4:])}"
    if verb in _IRREGULAR:
        ending = _IRREGULAR[verb]
    elif verb.endswith("s") and not verb.endswith(("ss", "us")):
        ending = verb
    else:
        ending = with_s(verb)
    return f"{ending}{space}{more}"


def to_do(action: str) -> str:
    """Return an *action* as a plan.

    >>> to_do("fly to Rome"), to_do("flying to Rome"), to_do("a party")
    ('to fly to Rome', 'on flying to Rome', 'a party')
    """
    if _GERUND.match(action):
        return f"on {action}"
    return action if action.startswith("to ") or _DETERMINED.match(action) else f"to {action}"


def base(verb: str) -> str:
    """Return the base form of a verb of the third person: `work` of `works`."""
    if verb in _BASE:
        return _BASE[verb]
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    return verb[:-2] if verb.endswith(("ches", "shes", "sses", "xes", "zes")) else verb[:-1]


def _dated(object: str) -> str:
    if day := _in_words(object):
        return day
    if (found := _RANGE.search(object)) and (first := _in_words(found[1])) and (last := _in_words(found[2])):
        return f"{object[: found.start()]} from {first} to {last}"
    found = _DATES.search(object)
    if found is None:
        return object
    span, year, month, day = found.groups()
    if month is not None and not 1 <= int(month) <= 12:
        return object
    when = " ".join(part for part in (day and str(int(day)), month and _MONTHS[int(month) - 1], year) if part)
    before = f"in the {span}" if span == "week of " else f"on the {span}" if span else "on " if day else "in "
    return f"{object[: found.start()]} {before}{when}"


def _in_words(day: str) -> str | None:
    """A date in words, `3 April 2026`; None for an invalid date."""
    try:
        return on(date.fromisoformat(day)).removeprefix("on ") if _DAY.match(day) else None
    except ValueError:
        return None


def on(day: date) -> str:
    """Return a *day* as the end of a sentence.

    >>> on(date(2026, 4, 3))
    'on 3 April 2026'
    """
    return f"on {day.day} {_MONTHS[day.month - 1]} {day.year}"


def until(time: str) -> str:
    """Return `until` and a day, month or year.

    >>> until("2026-12"), until("2026-12-24"), until("2027")
    ('until December 2026', 'until 24 December 2026', 'until 2027')
    """
    return f"until {_dated(f' ({time})').strip().removeprefix('on ').removeprefix('in ')}"


def since(day: date) -> str:
    """Return `since` and the *day*, month or year: the first of a month means the month, 1 January the year.

    >>> since(date(2021, 3, 1)), since(date(2020, 1, 1)), since(date(2026, 4, 3))
    ('since March 2021', 'since 2020', 'since 3 April 2026')
    """
    if day.day != 1:
        return on(day).replace("on ", "since ", 1)
    return f"since {day.year}" if day.month == 1 else f"since {_MONTHS[day.month - 1]} {day.year}"


def _in_third_person(object: str, subject: str) -> str:
    """Replace first persons by third ones, except the I of `World War I` after a name, and quotations."""
    third = {**_THIRD_PERSON, "me": subject or "them"}
    parts = _QUOTED.split(object)
    return "".join(
        part
        if _QUOTED.fullmatch(part)
        else _FIRST_PERSON.sub(lambda found: found[0] if _numbers(found) else third[found[0]], part)
        for part in parts
    )


def _numbers(found: re.Match[str]) -> bool:
    before = found.string[: found.start()].split()
    return found[0].startswith("I") and bool(before) and before[-1][:1].isupper()
