"""First person into third, token by token: the tags say which word is a verb, and the tree whose."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from slowwave.rules.dates import Dated
from slowwave.rules.grammar.clauses import AUXILIARIES, Clause, subject_of
from slowwave.rules.grammar.holding import held
from slowwave.rules.grammar.keeping import trimmed
from slowwave.rules.grammar.tellers import PARTICIPLES
from slowwave.rules.grammar.tree import SPEAKER, Tree
from slowwave.rules.grammar.turning import turned
from slowwave.rules.statements import verbs
from slowwave.rules.statements.persons import Person

TURNED = frozenset(("finds", "moved", "shows"))
"""Kinds of clauses that are told of the speaker though they are about something else."""
_OTHERS = {"us": "them", "myself": "themselves", "ourselves": "themselves", "mine": "theirs", "ours": "theirs"}
_BE = {"am": "is", "are": "is", "'m": "is", "'re": "is", "m": "is", "were": "was"}
_HELPERS = _BE | {"'ve": "has", "ve": "has", "have": "has", "do": "does", "'ll": "will"}
_FIRST = frozenset(_OTHERS) | {"my", "our", "me"}
"""Words of the first person that are no subject."""
_OF_PEOPLE = {"us": "people", "our": "people's", "ourselves": "themselves"}
"""Who is meant, where somebody says something of things in general."""
_MANY = {"'re": "are", "'ve": "have", "'ll": "will"}
"""How helpers read behind more than one."""
_OBJECTS = frozenset(("us", "them", "people", "everyone", "everybody", "it"))
"""Who or what is brought together."""
_THIS = frozenset(("this", "that", "these", "those"))
_CUT_SHORT = {"gon": "going", "wan": "want", "got": "have"}
"""The first half of *gonna*, *wanna* and *gotta*, in full."""
_IN_FULL = {"'cause": "because", "cuz": "because"}
_RUN_TOGETHER = {"gonna": "is going to", "wanna": "wants to", "gotta": "has to"}


@dataclass(frozen=True, slots=True)
class Telling:
    """The way to tell a sentence: about whom, of which *kind* of clause, with the days that its phrases mean.

    *dates* stand *offset* characters behind where they say.
    """

    person: Person
    kind: str
    past: bool
    dates: Sequence[Dated]
    offset: int


def told(tree: Tree, clause: Clause, places: Sequence[int], how: Telling) -> str:
    """Return the tokens at *places* as a sentence in the third person."""
    turn = turned(tree, clause) if how.kind in TURNED else None
    lead = how.person.name if how.kind == "elided" else f"{how.person.name} {turn.verb}" if turn else ""
    lead = f"{how.person.name} {held(tree, clause)}" if how.kind == "holds" else lead
    others = " and others" if how.kind == "we" and _with_others(tree, places) else ""
    out, named = list[str](), bool(lead)
    if turn:
        places = _behind(tree, clause, places, turn.behind)
    agreeing = _agreeing(tree, clause, places, elided=how.kind == "elided")
    written = set[int]()
    for number, place in enumerate(places):
        token, before = tree[place], places[number - 1] if number else None
        spaced = before is None or before != place - 1 or tree[before].end < token.start
        if how.dates and (date := _date(how, token.start - how.offset)):
            out += [] if date.start in written or not date.words else [f" {date.words}"]
            written.add(date.start)
            continue
        if token.low in SPEAKER and token.tag == "PRP":
            if named and token.dep != "conj" and before is not None and tree[before].low in ("and", "but", "or"):
                continue
            word, named = how.person.name + ("" if named else others), True
        elif token.low == "us" and place + 1 < len(tree) and tree[place + 1].low == "together":
            word = "people"
        elif how.kind == "holds" and token.low in _OF_PEOPLE:
            word, spaced = _OF_PEOPLE[token.low], True
        elif token.low in _FIRST and (owned := _owned(token.low, how.person, named)) and not _compound(tree, place):
            word, named = owned, True
        elif others and token.low in _MANY:
            word, spaced = _MANY[token.low], True
        elif place in agreeing and not others:
            word, spaced = _agreed(tree, place, elided=how.kind == "elided"), True
        elif token.low in ("na", "ta") and before == place - 1:
            word, spaced = "to", True
        elif token.low in _THIS and token.dep == "det":
            if not (word := _an(tree, place)):
                continue
        else:
            word = _IN_FULL.get(token.low, token.text)
            word = _CUT_SHORT[token.low] if token.low in _CUT_SHORT and _cut_short(tree, place) else word
        if how.kind in ("holds", "elided") and not number:
            word, spaced = word if token.tag.startswith("NNP") else word.lower(), True
        out.append(f"{' ' * spaced}{word}")
    return "".join([lead, *out]).strip()


def _an(tree: Tree, place: int) -> str:
    """An article for a `this`, which points at something that is named with it; none for more than one."""
    noun, after = tree[tree[place].head], tree[place + 1].low
    if (
        noun.tag not in ("NN", "NNS")
        or after in ("next", "last", "first", "very", "same")
        or (place and tree[place - 1].low in ("of", "all", "both"))
    ):
        return "the"
    if noun.tag == "NNS":
        return ""
    return "an" if after[0] in "aeiou" else "a"


def _date(how: Telling, start: int) -> Dated | None:
    """The phrase that says when, and within which a word starts; None for other words."""
    return next((one for one in how.dates if one.start <= start < one.end), None)


def _behind(tree: Tree, clause: Clause, places: Sequence[int], begin: int) -> list[int]:
    """The places behind *begin* that belong to it, or to the verb of the clause but not to one joined to that."""
    below = {*tree.whole(begin), *tree.whole(clause.verb, frozenset(tree.under(clause.verb, "conj", "cc")))}
    return trimmed(tree, [one for one in places if one > begin and one in below])


def _with_others(tree: Tree, places: Sequence[int]) -> bool:
    """True where they do something together or to one another, so that there have to be others."""
    low = [tree[one].low for one in places]
    if any(pair == ("each", "other") for pair in pairwise(low)):
        return True
    return any(
        tree[one].low == "together" and tree[one].dep == "advmod" and tree[one - 1].low not in _OBJECTS
        and not any(tree[each].low == "with" for each in tree.below[tree[one].head])
        for one in places
    )  # fmt: skip


def _compound(tree: Tree, place: int) -> bool:
    """True for a word that is only part of one: the `me` of `me-time`."""
    after = tree[place + 1] if place + 1 < len(tree) else None
    return after is not None and after.low == "-" and after.start == tree[place].end


def _owned(low: str, person: Person, named: bool) -> str:
    """A word of the first person in the third; "" for any other word."""
    if low in ("my", "our"):
        return "their" if named else person.possessive
    if low in ("mine", "ours") and not named:
        return person.possessive
    return person.name if low == "me" or (low == "us" and not named) else _OTHERS.get(low, "")


def _agreeing(tree: Tree, clause: Clause, places: Sequence[int], *, elided: bool) -> set[int]:
    """The places of the words that have to agree with a first person: of each of its verbs the first in order."""
    found = {clause.verb} if elided else set[int]()
    found |= {tree[one].head for one in places if tree[one].low in SPEAKER and tree[one].dep in ("nsubj", "nsubjpass")}
    if clause.subject is not None and tree[clause.subject].low in SPEAKER:
        found.add(clause.verb)
    for verb in (waiting := list(found)):
        if tree.under(verb, *AUXILIARIES):
            continue  # it agrees for those joined to it: `I don't eat or drink`
        more = [one for one in tree.under(verb, "conj") if subject_of(tree, one) is None]
        waiting += more
        found |= set(more)
    return {_first(tree, verb) for verb in found} & set(places)


def _first(tree: Tree, verb: int) -> int:
    return min([verb, *tree.under(verb, *AUXILIARIES)])


def _agreed(tree: Tree, place: int, *, elided: bool) -> str:
    token = tree[place]
    low = token.low
    if _cut_short(tree, place):
        return {"gon": "going" if tree.under(place, *AUXILIARIES) else "is going", "wan": "wants", "got": "has"}[low]
    if low in _RUN_TOGETHER:
        return _RUN_TOGETHER[low]
    if elided and (low in PARTICIPLES or token.tag == "JJ"):
        return f"is {low}"
    if elided and token.tag in ("VBG", "VBN") and token.dep != "auxpass":
        return "has been" if low == "been" else f"is {low}" if token.tag == "VBG" else low
    if low in ("'d", "d") and token.dep in AUXILIARIES:
        return "had" if tree[token.head].tag in ("VBN", "VBD") else "would"
    if low in _BE or (low in _HELPERS and (token.dep in AUXILIARIES or low == "'ve")):
        return _HELPERS[low]
    if token.tag in ("VBP", "VB") and token.dep not in AUXILIARIES and not verbs.is_past(low):
        return verbs.third(low)
    return low if elided else token.text


def _cut_short(tree: Tree, place: int) -> bool:
    after = tree[place + 1] if place + 1 < len(tree) else None
    return after is not None and tree[place].low in _CUT_SHORT and after.low in ("na", "ta") and (
        after.start == tree[place].end
    )  # fmt: skip
