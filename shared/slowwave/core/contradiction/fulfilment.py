"""Fulfilment: `called the plumber` fulfils `needs to call the plumber`, but no plan to call somebody else."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from slowwave.core.beliefs.identity import text_of
from slowwave.core.contradiction.belief_state import DATED, PLANNING, BeliefMatter, of_nothing_else
from slowwave.core.contradiction.words import TEXTS, stem, stems, words_of
from slowwave.core.predicates.english import these

TO_DO = "to_do"
"""The predicate of a task that somebody needs to do."""
AMOUNT = "amount"
"""The word under which news of a changed price or size finds beliefs that contain a number."""
Names = Callable[[str], frozenset[str]]
"""A function of a stem that gives all its synonyms, including itself."""

_TO_DO = re.compile(
    rf"\b(?:(?:{PLANNING} to|must|should|will|gonna) (?:(?:also|still|finally|really|go and) )*"
    r"|(?:(?:thinking|dreaming) (?:of|about)|considering|contemplating|planning on) (?!going for)(?=\w+ing\b))"
    r"(?P<what>.+)"
)
"""A plan to do something."""
_TO_HAVE = re.compile(
    r"\b(?:considering|contemplating|wants?|needs?|awaiting|going for|(?:thinking|dreaming) (?:of|about)(?: going for)?"
    r"|would (?:like|love)|look(?:s|ing) (?:for|at|into)|wait(?:s|ing) (?:for|on)|appl(?:y|ies|ied|ying) (?:for|to)"
    r"|hop(?:es?|ing) for|train(?:s|ing)? for|(?:is|are) in for) (?P<what>.+)"
)
"""A wish or a search for a thing. It ends when the person takes, gets or does the thing."""
_DEED = re.compile(
    r"(?:(?:an?|the|another|their) (?:\w+ )?(?P<verb>move|visit|switch|change|return|migration|trip|journey|flight)"
    r" (?P<rest>(?:to|from) .+)"
    r"|(?:(?:an?|the|another|their) )?(?:\w+ )?(?P<stay>holidays?|vacation|trip) (?:in|around) (?P<there>[A-Z].+))"
)
"""A deed that is named by a noun, such as `a move to Porto` or `a trip around Japan`."""
_JOBS = stems("job post position role place")
_JOINING = stems("start begin join work")
"""Verbs for taking up a job, which is named by its place."""
_FULFILLING = stems(TEXTS["fulfilling"])
"""Verbs for getting a thing. After the deed, nobody waits for the thing, looks for it, or wishes for it."""
DUE = stems("due deadline")
"""Words for a due date. `The report is due on the 3rd` and `its deadline is the 3rd` mean the same."""
_BEGINNING = stems("start begin open find")
_PASSING = _FULFILLING | stems("send post pay fail miss skip flunk ace nail have see meet")
"""Verbs for completing or missing an appointment, an exam or a deadline, which is then no longer in the future."""
_ALIKE = [stems(words) for words in TEXTS["alike"].split(";")]
"""Verbs for the same deed."""
_PREPOSITIONS = these(TEXTS["prepositions"])
_PARTICLES = these("up out off back down away over in on round around")
_MORE = frozenset(("up", "out", "off"))
"""Particles that do not change the meaning of a verb: `sorted out the garage`."""
_STOPS = these(TEXTS["stops"])
"""Words that end the name of a thing."""
_WHEN = re.compile(
    r"\b(?:this|last|next) (?:morning|afternoon|evening|night|week|weekend|month|year|summer|winter|spring|autumn)\b"
    rf"|\b(?:on|in|at|by|for|until|before|after|over|around) (?:the )?(?:{DATED.pattern})(?:,? \d{{4}})?"
    r"|\b(?:tomorrow|(?:one|some) ?day)\b",
    re.IGNORECASE,
)
_SPOKEN = stems("tell ask talk speak call write ring phone message email")
"""Verbs of talk, which may be about another thing."""
_MANAGED = re.compile(
    r"(?:went: (?:to|and) (?=see|visit|meet|saw)|(?:managed|remembered|got): (?:(?:a?round )?to )|went: ahead and "
    r"|finished: (?=\w+ing )|started: (?=(?:learning|studying|playing|training|going|working) ))"
    r"(?P<verb>\w+) (?P<rest>.+)"
)
"""Words before the verb of a completed deed: `managed to`, `went to`."""
_FIRST = re.compile(r"\b(my|our|his|her|their) (?:very )?first\b", re.IGNORECASE)
"""Words that mark a first time: `my first marathon` is a marathon."""
_HAD_DONE = re.compile(
    r"(?:get|have|got:|had:|[a-z ]*get:) (?P<rest>(?:(?:the|my|our|their|his|her) )?\w+(?: \w+)??) "
    r"(?P<verb>\w+ed|done|cut|built|rebuilt|written)\b(?P<more>.*)"
)
"""A deed that somebody lets others do, such as `get the boiler serviced`."""
_WHO = re.compile(r"^.*?\b(?:I|we)(?:'ve| have)? (?:\w+ly )?")
_NOT_YET = re.compile(r"(?:\bnot|n't) .* yet\b", re.IGNORECASE)
_FOR_IT = re.compile(r" for (?:the|my|our) [\w ]+")
_ARTICLE = re.compile(r"(?:an?|some|another|any|one)$")
_WORD = re.compile(r"\d+(?:[.,:/]\d+)+|[^\W_]+(?:['\u2019-][^\W_]+)*")


class Deed(NamedTuple):
    """The stems of a deed's *verbs*, its *particles*, the stems of its *thing* in order, and the stems after each
    preposition.

    *indefinite* is True if the thing has an indefinite article, which means that it was not mentioned before.
    """

    verbs: frozenset[str]
    particles: frozenset[str]
    thing: tuple[str, ...]
    complements: dict[str, frozenset[str]]
    indefinite: bool


@lru_cache(maxsize=4_096)
def deed(text: str) -> Deed:
    """Return the deed in *text*. The text begins with a verb, or with several verbs and a colon.

    >>> deed("picked: the suit up from the cleaners today")[:4]
    (frozenset({'pick'}), frozenset({'up'}), ('suit',), {'from': frozenset({'cleaner'})})
    >>> deed("went: to see the dentist")[:3]
    (frozenset({'see'}), frozenset(), ('dentist',))
    """
    text = _FIRST.sub(r"\1", text)
    if had := _HAD_DONE.match(text):
        return _read(frozenset((stem(had["verb"]),)), f"{had['rest']}{had['more']}")
    verbs, _, rest = text.partition(":" if ":" in text else " ")
    managed = _MANAGED.match(text)
    return _read(
        frozenset(map(stem, _WORD.findall(managed["verb"] if managed else verbs))), (managed or {"rest": rest})["rest"]
    )


@lru_cache(maxsize=4_096)
def planned(text: str) -> Deed | None:
    """Return the plan or wish in a belief's *text* as a deed, or None. The deed of a wish has no verb.

    >>> planned("Ada needs to call the plumber").verbs, planned("Ada is considering the job at Miele").verbs
    (frozenset({'call'}), frozenset())
    """
    if to_do := _TO_DO.search(text):
        if had := _HAD_DONE.match(to_do["what"]):
            return _read(frozenset((stem(had["verb"]),)), f"{had['rest']}{had['more']}")
        verb, _, rest = to_do["what"].partition(" ")
        return _read(frozenset((stem(verb),)), rest)
    to_have = _TO_HAVE.search(text)
    if to_have is None:
        return None
    named = _DEED.match(to_have["what"])
    if named is None:
        return _read(frozenset(), to_have["what"])
    return _read(frozenset((stem(named["verb"] or named["stay"]),)), named["rest"] or named["there"])


def plan_of(belief: BeliefMatter) -> Deed | None:
    """Return the plan or wish that a belief states, or None if the belief states neither."""
    return planned(text_of(belief)) if belief.form == "statement" or belief.predicate == TO_DO else None


def has_amount(belief: BeliefMatter) -> bool:
    """Return whether a belief, other than a plan, contains a number that is not a date.

    Such a belief ends when the number changes.
    """
    return plan_of(belief) is None and any(map(str.isdigit, DATED.sub("", text_of(belief))))


def _read(verbs: frozenset[str], rest: str) -> Deed:
    words = _WORD.findall(_WHEN.sub(" , today , ", rest))
    thing, complements, particles = list[str](), dict[str, frozenset[str]](), set[str]()
    last = ""
    for at, word in enumerate(words):
        small, following = word.lower(), words[at + 1].lower() if at + 1 < len(words) else "and"
        ends = following in _STOPS or following in _PREPOSITIONS
        if small in _PARTICLES and not last and (at == 0 or ends):
            particles.add(small)
        elif small in _PREPOSITIONS and thing:
            last = small
        elif small in _STOPS or (small.endswith("ly") and thing):
            break
        elif small in _PREPOSITIONS:
            continue
        elif last:
            complements[last] = complements.get(last, frozenset()).union(words_of(word))
        else:
            thing.append(word)
    first = next(iter(words), "").lower()
    return Deed(verbs, frozenset(particles), words_of(" ".join(thing)), complements, _ARTICLE.match(first) is not None)


def is_done(done: Deed, belief: BeliefMatter, belief_stems: frozenset[str], names: Names) -> bool:
    """Return whether the deed *done* completes a *belief* about the future. *belief_stems* are the stems of the belief.

    A belief that names no planned deed must share the verb or several words with *done*, or have no other words.
    """
    plan = plan_of(belief)
    if plan is not None or not done.thing:
        return plan is not None and is_fulfilled(plan, done, names)
    if done.verbs.isdisjoint(_PASSING | belief_stems):
        return False
    if not belief_stems.isdisjoint(DUE):
        if done.verbs <= _BEGINNING or any(names(word).isdisjoint(belief_stems) for word in done.thing):
            return False
        if belief.form == "typed" and words_of(belief.subject)[-1:] == done.thing[-1:]:
            return True
    shared = frozenset[str]().union(*map(names, done.thing)) & belief_stems
    return (
        not done.verbs.isdisjoint(belief_stems)
        or len(shared) > 1
        or of_nothing_else(belief, belief_stems, done.thing[-1])
    )


def is_fulfilled(plan: Deed, done: Deed, names: Names) -> bool:
    """Return whether the deed *done* fulfils *plan*: both must name the same deed with the same thing.

    Any shelf fulfils a plan for `a shelf`. Otherwise, the deed must not describe the thing by words that the plan does
    not contain. Starting at a firm fulfils the plan to take a job there.
    """
    where = plan.complements.get("at") or plan.complements.get("with")
    if where and not plan.verbs and not _JOBS.isdisjoint(plan.thing[-1:]) and where == set(done.thing):
        return not done.verbs.isdisjoint(_JOINING)
    if not plan.thing or not done.thing or not _is_same_verb(plan, done):
        return False
    is_part = len(done.thing) > 1 and set(done.thing) <= set(plan.thing)
    if plan.thing[-1] not in names(done.thing[-1]) and not is_part:
        return False
    words = frozenset(plan.thing).union(*plan.complements.values())
    more = [word for word in done.thing if names(word).isdisjoint(words)]
    if more and not (plan.indefinite and len(plan.thing) == 1):
        return False
    if done.indefinite and not plan.indefinite:
        return False
    if _are_apart(plan, done):
        return False
    of_else = done.complements.keys() - plan.complements.keys()
    return not (
        plan.verbs & _SPOKEN and plan.complements and of_else and plan.complements.keys().isdisjoint(done.complements)
    )


def is_sought(text: str) -> bool:
    """Return whether a belief is a search or a wish for a thing. The loss of such a thing does not end the belief.

    >>> is_sought("Tom is looking for a job"), is_sought("Tom needs to sell a car")
    (True, False)
    """
    plan = planned(text)
    return plan is not None and plan.indefinite and not plan.verbs


def is_of_another(plan: Deed, report: str) -> bool:
    """Return whether a report of a change (*report*) leaves *plan* open, because the report is about another thing or
    place, or says that the plan is not done yet.

    >>> is_of_another(planned("Ada wants to take the kids to Lyme"), "we took the kids to the zoo")
    True
    """
    if not plan.verbs:
        return False
    if _NOT_YET.search(report):
        return True
    if set(plan.thing).isdisjoint(words_of(_FOR_IT.sub("", report))):
        return True
    done = deed(_WHO.sub("", report))
    is_other = bool(plan.thing and done.thing) and done.thing[-1] not in plan.thing and done.verbs == plan.verbs
    return is_other or _are_apart(plan, done)


def _are_apart(plan: Deed, done: Deed) -> bool:
    return any(
        mine.isdisjoint(done.complements[how])
        for how, mine in plan.complements.items()
        if mine and done.complements.get(how)
    )


def _is_same_verb(plan: Deed, done: Deed) -> bool:
    """Return whether the verbs of a deed are those of the plan, or synonyms."""
    if not plan.verbs:
        return not done.verbs.isdisjoint(_FULFILLING)
    if not plan.particles <= done.particles or not done.particles <= plan.particles | _MORE:
        return False
    alike = frozenset().union(*(words for words in _ALIKE if not words.isdisjoint(plan.verbs)))
    return not done.verbs.isdisjoint(plan.verbs | alike)
