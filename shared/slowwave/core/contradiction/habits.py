"""Habits and tastes, which do not end with the thing that they are about: somebody who finished the tea still drinks
tea, and an allergy to cats does not end with a cat's death.
"""

import re
from collections.abc import Collection, Sequence

from slowwave.core.beliefs.identity import text_of
from slowwave.core.contradiction.belief_state import BeliefMatter
from slowwave.core.contradiction.fulfilment import is_sought
from slowwave.core.contradiction.nouns import ACTIVITY
from slowwave.core.contradiction.words import TEXTS, stem, stems, words_of
from slowwave.core.predicates.english import single
from slowwave.domain.claim import Claim

_HABIT = stems(TEXTS["habit"])
"""Verbs for habits that go on with another thing of the same kind."""
_USE = stems(TEXTS["use"])
"""Verbs for habits with uncountable things, which are bought again, such as vitamins."""
_TASTE = stems(TEXTS["taste"])
_GOES_ON = ("plays", "hobby", "works_at", "member_of", "plays_in", "studies_at", "volunteers")
"""Registered predicates for activities that go on after one occasion is over."""
_SUBSCRIBED = re.compile(r"\bsubscri", re.IGNORECASE)
_FOLLOWS = frozenset(map(stem, ("read", "watch", "listen")))
"""Stems of activities that need no subscription; finishing a magazine does not end its subscription."""
_ONCE = frozenset(map(stem, ACTIVITY))
_VERB = re.compile(r"\b\w+s\b")
_PLACE = re.compile(r" (?:at|from) ([^,.]+)")
_MEAL = re.compile(r"\bfor (?:breakfast|lunch|dinner|supper|tea|pudding|dessert)\b")
_FED = re.compile(
    r"\b(?:feeds?|gives?) (?:(?P<what>[\w' ]+?) to |(?:the |their |his |her )?(?:\w+'s )?(?:\w+ )?"
    r"(?:(?:dog|cat|puppy|kitten|rabbit|hen|horse|bird|kid|son|daughter)s?|baby|children|them|[A-Z]\w+) (?P<food>\w.*))"
)
"""The food in a sentence about feeding, as opposed to the person or animal that is fed."""
_MEDICINE = re.compile(r"vitamin|supplement|insulin|(?:pill|tablet|capsule|drop)s?\b", re.IGNORECASE)
_COURSE = re.compile(r"antibio|(?:cillin|mycin|cycline)s?$|chemo|radiother")
"""Medicines and treatments with a fixed end."""
_LESSON = re.compile(rf"\b(?P<of>[\w-]+) (?P<what>(?:{'|'.join(sorted(ACTIVITY))})(?:e?s)?)\b")
"""An activity with its subject: `piano lessons` go on without the piano."""
_OWN = re.compile(r"my|our|their|his|her")
_AGAIN = re.compile(
    r"\b(?:every|each|daily|nightly|weekly|monthly|yearly|regularly|usually|often|always|(?:once|twice|times) an?"
    r"|most (?:days|weeks|months|mornings|evenings|nights|weekends)|(?:mon|tues|wednes|thurs|fri|satur|sun)days"
    r"|week(?:days|ends)|mornings|afternoons|evenings|nights|at (?:night|the weekend)"
    r"|in the (?:morning|afternoon|evening|summer|winter|spring|autumn))\b",
    re.IGNORECASE,
)
"""Words that say how often something is done."""
_WHOLE = stems("course project internship placement subscription membership contract lease")
"""Stems of things that end once, although they take place many times: a course."""
_STATE = stems(TEXTS["state"])
"""Verbs for states that end with their thing, unless the text gives a frequency: `owns`, `uses`."""
_BOUND = stems("walk ride feed drive sail fly wear groom milk exercise pay rent lease owe subscribe")
"""Verbs for habits that depend on one thing that somebody owns: walking their dog every day."""
_DONE = re.compile(
    r"^(?:The team|\w+(?:'s \w+)?)(?: (?:also|still|mostly|now))? (?P<verb>(?!is\b|was\b|has\b)\w+s)"
    r" (?P<what>(?:the )?[a-z\d][\w-]*(?: [a-z][\w-]*){0,3}?)"
    r"(?=$|[.,;]| (?:to|into|from|at|in|on|for|with|by|after|before|when|and|as|together|alone|well)\b)"
)
"""A verb in the present tense and its object."""
_SINGLE = re.compile(r"(?:an?|one|two|three|(?:my|our|their|his|her)(?! own)|this|that|another|some)\b|.*'s ")
_COUNTING = re.compile(r"an?|the|my|our|their|his|her|its|this|that|these|both|another|one|two|three|four|five")
_NEGATION = re.compile(r" no longer | (?:does not|doesn't|don't|is not|isn't) ")
_BEFORE = re.compile(r"with|in|on|of|for|from|to|at|by|and")
_ONE_DAY = re.compile(r"\b(?:\w+day|today|tomorrow|week|month)['\u2019]s ", re.IGNORECASE)
_EACH = re.compile(r"\b(?:\w+days|every|each|daily|weekly|monthly)\b")


def outlasts(belief: BeliefMatter, news: Claim, matter: Sequence[str]) -> bool:
    """Return whether *belief* is a taste, a habit or a wish that does not end when one thing ends. *news* reports this
    end.

    *matter* has the stems of the words for the thing that has ended.

    A report with `no longer` about a repeated activity ends only that activity.
    """
    if news.object.startswith("no longer "):
        text = text_of(belief)
        whole = {*matter, *words_of(belief.subject)}.issuperset(words_of(_NEGATION.sub(" ", text)))
        return not (whole and _NEGATION.search(text))
    if news.effect in ("end", "finish", "pass", "leave") and is_taste(belief, matter):
        return True
    if news.effect in ("finish", "pass") and (is_consumed(belief, matter) or is_sought(text_of(belief))):
        return True
    news_subscribes, belief_subscribes = (
        _SUBSCRIBED.search(text) is not None for text in (news.object, text_of(belief))
    )
    if news_subscribes and not belief_subscribes and not _FOLLOWS.isdisjoint(_verbs(belief, text_of(belief))):
        return True
    return news.effect == "pass" and (
        (belief_subscribes and not news_subscribes) or recurs(belief, news.object, matter[-1])
    )


def is_taste(belief: BeliefMatter, matter: Collection[str]) -> bool:
    """Return whether *belief* is a liking, a fear or an allergy that concerns a whole kind of things.

    The end of one thing does not end such a belief. The result is False for a belief about one thing (`their job`). It
    is also False if *matter*, the stems of what has ended, names the taste itself.
    """
    text = text_of(belief)
    verbs = _verbs(belief, text) | (set(words_of(text)) if belief.predicate == "be" else set())
    named = any(word.startswith(("allerg", "intoleran")) for word in matter)
    if named or verbs.isdisjoint(_TASTE) or not verbs.isdisjoint(_TASTE.intersection(matter)):
        return False
    return not any(_is_counted(text, word, one=False) for word in matter)


def is_consumed(belief: BeliefMatter, matter: Sequence[str]) -> bool:
    """Return whether *belief* is a habit of eating, buying, using or giving a thing, or of taking lessons in it.

    *matter* has the stems of what was reported to have ended; the last stem is the thing. The habit does not end when
    the thing is used up or sold, unless *matter* names the habit.
    """
    text, thing = text_of(belief), matter[-1]
    named = {*matter, *words_of(belief.predicate)}  # in `father works`, the work is not one with a father
    if any(thing in words_of(found["of"]) and stem(found["what"]) not in named for found in _LESSON.finditer(text)):
        return True
    if belief.tense == "past" or _COURSE.search(thing):
        return False
    if thing in words_of(" ".join(_PLACE.findall(text))):
        return False
    verbs = _verbs(belief, text).difference(matter)
    if verbs & _HABIT or _MEAL.search(text):
        return not (verbs & _TASTE and _is_counted(text, thing, one=False, by=_OWN))
    fed = _FED.search(text)
    if fed:
        return thing in words_of(fed["what"] or fed["food"])
    if not verbs & _USE or thing in _ONCE:
        return False
    return _MEDICINE.search(text) is not None or not _is_counted(text, thing, one=verbs & _USE == {"use"})


def recurs(belief: BeliefMatter, matter: str, thing: str) -> bool:
    """Return whether *belief* is an activity that people repeat, on another day or with another *thing* of the same
    kind.

    Such an activity does not end when one occasion is over (*matter*, in words). Somebody who takes the train to work
    still does so after one train has left.
    """
    text, verbs = text_of(belief), _verbs(belief, text_of(belief))
    last = matter.split()[-1].casefold()
    lessons = thing in _ONCE and single(last) != last
    if any(word != last and single(word) == last for word in text.casefold().split()):
        return True
    if _COURSE.search(thing) or thing in _WHOLE or lessons:
        return False
    if _AGAIN.search(text):
        return verbs.isdisjoint(_BOUND) or not _is_counted(text, thing, one=False, by=_OWN)
    if belief.form == "typed":
        return belief.predicate in _GOES_ON
    done = _DONE.match(text)
    if done is None or not {stem(done["verb"])}.isdisjoint(_STATE | _BOUND) or _SINGLE.match(done["what"]):
        return False
    return thing in words_of(done["what"]) and (stem(done["verb"]) != "tak" or done["what"].startswith("the "))


def is_once(report: str, believed: str) -> bool:
    """Return whether a report of a change (*report*) is about one occasion of a recurring activity (*believed*).

    >>> is_once("Friday's deploy", "The team deploys on Fridays"), is_once("deploys", "The team deploys on Fridays")
    (True, False)
    """
    return _ONE_DAY.search(report) is not None and _EACH.search(believed) is not None


def verb_of(belief: BeliefMatter) -> frozenset[str]:
    """Return the stems of a belief's verb. A belief like `rent: number` has no verb, and the result is empty."""
    named = ":" in belief.predicate or belief.predicate == "deadline"
    return frozenset() if named else frozenset(words_of(belief.predicate))


def _verbs(belief: BeliefMatter, text: str) -> set[str]:
    predicate = "happens" if belief.predicate == "takes_place" else belief.predicate  # nobody takes a launch
    return {*words_of(predicate), *map(stem, _VERB.findall(text))}


def _is_counted(text: str, thing: str, *, one: bool, by: re.Pattern[str] = _COUNTING) -> bool:
    """Return whether *text* mentions *thing* with an article or a number. With *one*, a plural alone is enough."""
    words = re.findall(r"[\w'-]+", text.casefold())
    at = next((at for at, word in enumerate(words) if thing in words_of(word)), 0)
    for word in reversed(words[max(0, at - 3) : at]):
        if _BEFORE.fullmatch(word):
            break
        if by.fullmatch(word):
            return True
    return one and words[at].endswith("s")
