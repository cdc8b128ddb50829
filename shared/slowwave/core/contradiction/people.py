"""The comparison of the people that news and a belief are about."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from slowwave.core.beliefs.identity import TOGETHER, normal, text_of
from slowwave.core.beliefs.versions import Version
from slowwave.core.contradiction.belief_state import BeliefMatter
from slowwave.core.contradiction.nouns import LIGHT
from slowwave.core.contradiction.words import TEXTS, stem, words_of
from slowwave.core.predicates import Predicates
from slowwave.core.predicates.english import single, these
from slowwave.core.predicates.sentences import USER
from slowwave.domain.claim import Claim

EVERY = "*"
"""The subject of news that may be about anybody, and the predicate of news that names its matter in words."""
SERVING = these(TEXTS["serving"])
"""Roles of people who work for others, which end when they leave."""
_POST = re.compile(
    r"(?:^(?P<who>[A-Z][\w-]+) works|\b(?P<job>[A-Z][\w-]+) (?:now |also )?"
    r"(?:is in charge of|(?:does|runs|leads|handles|manages|covers) (?:the |our |[A-Z][\w-]*['\u2019]s )))"
)
_OWNED = re.compile(
    r"^(?:(?:the )?[^\W\d]\w*(?: [^\W\d]\w*)?['’]s?|my|our) "
    r"(?:(?:older|elder|eldest|oldest|younger|youngest|big|little|middle|twin|old|new|best|dear|late|ex) ){0,2}"
    r"(\w+)(?!['’\w])",
    re.IGNORECASE,
)

_PERSON = r"(?!(?:Mrs?|Ms|Dr|Prof)\b)[A-Z][\w'-]+"
_WITH = re.compile(
    r"[A-Z]\w*(?:'s \w+)? (?P<what>\w+ .+?) (?:together )?(?:with|against|alongside) "
    rf"(?P<who>{_PERSON}(?:(?:, | and |, and ){_PERSON})*)"
)
_MET = re.compile(rf"\b(?:meets?|sees?|calls?|rings?|phones?) (?P<who>{_PERSON})")
_ABOUT_BOTH = re.compile(
    r"\b(?:liv|shar|work|dat|marr|engaged|relationship|together|love|friends?|(?:is|was|are|were|be|been)$)",
    re.IGNORECASE,
)
"""Words for a relation of two people, which ends for both."""
_NAMED_FIRST = re.compile(r"(?!The\b|An?\b|My\b|Our\b)(?:(?:Mrs?|Ms|Dr|Prof)\.? )?[A-Z][\w'-]+")
_MINE = re.compile(r"(?:[^:]+: )?[Mm]y (?!.*['\u2019]s\b)")
"""The beginning of news about the speaker's own things, after the verbs."""
_THEIRS = re.compile(r"(?:his|her|their) ")
"""The beginning of news about another person's things."""
_FIRST = re.compile(r"\b(?:I|we|me|us)\b", re.IGNORECASE)
"""Words of a sentence about its speaker."""


_OF_ANOTHER = re.compile(r"\b(?:his|her|their|your)\b|['\u2019]s\b")
_FAMILY = frozenset(("parent", "grandparent", "folks", "kid"))
"""Words for relatives that are not roles, because they may mean several people."""
_KNOWN = frozenset(("aunt", "uncle", "cousin", "niece", "nephew", "friend", "client", "customer", "patient", "pupil"))
"""Words for people of whom somebody has many."""
_OPENING = re.compile(r"(?:(?:so|and|but|oh|well|btw|also|then|plus|yesterday|today),? )+", re.IGNORECASE)
_OF_SPEAKER = re.compile(r"\b(?:I|me|my|mine|myself|we|us|our|ours)\b", re.IGNORECASE)
_HOUSEHOLD = frozenset(("partner", "child", "kid", "son", "daughter", "stepson", "stepdaughter"))
"""People whom a household calls `our`."""


def relative_in(text: str, predicates: Predicates) -> str:
    """Return the role by which a sentence names its person: `brother` in `Ann's brother plays hockey`."""
    owned = _OWNED.match(text)
    words = (owned[1].lower(), single(owned[1].lower())) if owned else ()
    return next((word for word in words if word in predicates.roles or word in _FAMILY), "")


def is_about_another(sentence: str, subjects: Iterable[str], about: frozenset[str], predicates: Predicates) -> bool:
    """Return whether a sentence is only about another person: a relative, an acquaintance, or one of the *subjects* of
    the facts from the sentence.

    *about* are the stems of a belief. A person whom the belief names does not count as another person.

    >>> is_about_another("My aunt takes it, too", [], frozenset({"sam"}), Predicates())
    True
    >>> is_about_another("Dora takes it, too", ["Dora"], frozenset({"sam"}), Predicates())
    True
    >>> is_about_another("My aunt took me off it", [], frozenset({"sam"}), Predicates())
    False
    """
    text = _OPENING.sub("", sentence.strip())
    owned, named = _OWNED.match(text), _NAMED_FIRST.match(text)
    found = owned or named
    if found is None or _OF_SPEAKER.search(text, found.end()):
        return False
    if owned:
        word = single(owned[1].lower())
        if word not in predicates.roles and word not in _FAMILY and word not in SERVING and word not in _KNOWN:
            return False
        return about.isdisjoint(map(stem, predicates.roles.get(word, (word,))))
    name = normal(found[0])
    return any(normal(one) == name for one in subjects) and about.isdisjoint(words_of(name))


def of_household(news: Claim, meant: Sequence[Version]) -> list[Version]:
    """Return the beliefs among *meant* that *news* of `our` home, doctor or trip ends.

    These are the speaker's own beliefs, and the beliefs that others stated about `us`. If the speaker has no such
    belief, all of *meant* are returned.
    """
    mine = [one for one in meant if normal(one.subject) == normal(news.subject)]
    own = {(one.predicate, normal(one.object)) for one in mine}
    ended = [one for one in meant if not own or (one.predicate, normal(one.object)) in own]
    return [one for one in ended if news.effect not in ("replace", "switch") or one not in mine]


def is_own(speaker: str, subject: str) -> bool:
    """Return whether a belief's *subject* is the *speaker*, a person or thing of theirs, or a thing without a name.

    >>> is_own("Sam", "Sam's sister"), is_own("Sam", "team meeting"), is_own("Sam", "Nora"), is_own("user", "Nora")
    (True, True, False, True)
    """
    own, about = normal(speaker), normal(subject)
    return own in (USER, about) or about.startswith(f"{own}'s ") or is_thing(subject)


def is_mine(report: str) -> bool:
    """Return whether *report* is news about the speaker's own thing: `my bike`, but not `my aunt's bike`."""
    return _MINE.match(report) is not None


def is_anybodys(news: Claim) -> bool:
    """Return whether *news* names no owner except `my`, so that the thing may belong to anybody."""
    return news.subject == EVERY or is_mine(news.object)


def is_unowned(subject: str, report: str) -> bool:
    """Return whether a *subject* is a thing without another owner in *report*: `the application`, but not `his`."""
    return is_thing(subject) and _OF_ANOTHER.search(report) is None


def is_thing(subject: str) -> bool:
    """Return whether a belief's *subject* is a thing without a name: `grant application`."""
    return (subject if " " not in subject else subject[1:]).islower() and normal(subject) != USER


def has_post(text: str, name: str) -> bool:
    """Return whether *text* says that somebody of that *name*, given by its stem, works somewhere or does a job there.

    >>> has_post("Ruth left, so Dina does Kofi's frontend", "dina"), has_post("Dina does yoga", "dina")
    (True, False)
    """
    return any(stem(one["who"] or one["job"]) == name for one in _POST.finditer(text))


@lru_cache(maxsize=16_384)
def companions(text: str) -> frozenset[str]:
    """Return the stems of the names of a person's companions in *text*.

    >>> companions("Sam plays chess with Albert on Tuesdays"), companions("Sam lives with Jen")
    (frozenset({'albert'}), frozenset())
    """
    met = _MET.search(text)
    if met:
        return frozenset(words_of(met["who"]))
    found = _WITH.match(text)
    if found is None or _ABOUT_BOTH.search(found["what"]):
        return frozenset()
    return frozenset(words_of(found["who"]))


def about_same_people(
    subject: str, words: str, belief: BeliefMatter, belief_stems: frozenset[str], predicates: Predicates,
    *, whole: bool = False,
) -> bool:  # fmt: skip
    """Return whether news with this *subject* and these *words* is about the people of *belief*.

    *belief_stems* are the stems of the belief. The news matches if it has the belief's subject, by role or name, or if
    its thing may belong to anybody. A belief about somebody's brother matches only if the news names him, or if *whole*
    is True and *words* are a sentence about others. News of a son does not match a belief about another relative. News
    of a companion does not match a belief about the person. A whole sentence about its speaker does not match a belief
    that begins with another name. `my dog` is not a relative's dog, `our dog` is a dog of the household, and `her dog`
    is not the subject's own dog. `my exam` is not another speaker's exam. A belief about `us` also matches news of
    `our` things, or of a named person, from another speaker.
    """
    owner = normal(subject)
    stated = belief.form == "statement"
    ours = words.startswith("our ")
    of_others = (owner != EVERY and not (whole and not _FIRST.search(words))) or is_mine(words)
    relative = relative_in(text_of(belief) if stated else belief.subject, predicates) if of_others or ours else ""
    together = belief.rule.endswith(TOGETHER)
    named_in = _NAMED_FIRST.match(words) if together else None
    about = set(words_of(words)) - LIGHT
    by_name = named_in is not None and about <= belief_stems and not about.issubset(words_of(belief.subject))
    if (ours or by_name) and predicates.of(relative).name in _HOUSEHOLD:
        relative = ""
    named = relative_in(words, predicates)
    if _THEIRS.match(words) and normal(text_of(belief)).startswith(f"{normal(belief.subject)} "):
        return False
    for role, of in ((relative, words_of(f"{subject} {words}")), (named, belief_stems)):
        if role and {stem(name) for name in predicates.roles.get(role, (role,))}.isdisjoint(of):
            return False
    other = _NAMED_FIRST.match(text_of(belief)) if stated and of_others and whole else None
    if other and set(words_of(f"{subject} {words}")).isdisjoint(words_of(other[0])):
        return False
    people = set(words_of(subject))
    belief_stems -= companions(text_of(belief))
    if together and (ours or (by_name and not _FIRST.search(words))):
        return True
    named_there = set(words_of(belief.subject)) <= set(words_of(words))
    if is_mine(words) and (together or named_there or is_own(subject, belief.subject)):
        return True
    return (
        owner == EVERY or owner == normal(belief.subject) or (owner != USER and bool(people) and people <= belief_stems)
    )
