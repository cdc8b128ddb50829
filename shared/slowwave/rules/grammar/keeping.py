"""The tokens of a clause that are worth telling: its verb and its arguments, without asides and fillers."""

from collections.abc import Iterator, Sequence

from slowwave.rules.grammar.clauses import Clause, of_verb, subject_of
from slowwave.rules.grammar.tree import Tree
from slowwave.rules.statements import verbs
from slowwave.rules.statements.tellers import CONDITIONS
from slowwave.rules.statements.words import ADVERBS, FILLERS, SECOND, UNRESOLVED, these

_CUT = frozenset(("intj", "meta", "parataxis"))
_ASIDES = frozenset(("advcl", "relcl", "acl", "prep", "appos", "npadvmod", "conj"))
_ADJUNCTS = frozenset(("advcl", "relcl", "acl", "prep", "conj", "ccomp"))
_NOUNS = frozenset(("NN", "NNS", "NNP", "NNPS"))
_RELATIVES = frozenset(("WDT", "WP", "WP$", "WRB"))
_LOOSE = _CUT | _ASIDES | _ADJUNCTS | {"det", "advmod"}
"""How what may be left out depends on the rest; whatever does so in another way stays."""
_DEGREES = {"far": "so", "much": "pretty", "well": "as"}
_LOOSE_WORDS = frozenset(_DEGREES) | {"of", "both", "all"}
_WHOLE = these("reason reasons way ways time times day days place places")
"""Nouns whose relative clauses lack nothing: `the reason I sing`."""
_ANYTHING = these("anything everything nothing all one thing things")
"""Nouns of which it is not said that somebody did it: `is there anything I can do`."""
_EDGES = frozenset(("cc", "punct", "mark", "preconj"))
_MEANT = these(
    """always never often usually sometimes once ever early late not more most less least almost nearly maybe perhaps
    probably possibly long"""
)
_COMMENTS = (FILLERS | ADVERBS - _MEANT | these(
    """ago all sure though last next yet right matter alright obviously completely highly however otherwise
    overall thankfully okay anyway indeed either btw surely course kind sort of about real doubt somewhat way
    specifically particularly greatly instead"""
)) - {"not"}  # fmt: skip
"""Adverbs that say how somebody speaks of it; the others say how often, when, where, how or how surely."""
_REASONS = these("because cause 'cause cuz as since so")
_SPEAKING = these("speak talk chat meet see catch hear")
_BEGINNINGS = these("so then plus also though")
_LEADS = these("that this it another note other hand hands top side fact all rest different meantime same meanwhile")
_QUANTITIES = these("lot lots bit ton tons bunch loads load plenty kind kinds sort sorts couple")


def kept(tree: Tree, clause: Clause) -> list[int]:
    """Return the places of the tokens of a clause that are worth telling, in order; none under a condition."""
    if any(CONDITIONS & _joints(tree, one) for one in tree.under(clause.verb, "advcl")):
        return []
    if any(_by_you(tree, one) for one in _near(tree, clause.verb)):
        return []
    likes = [one for one, token in enumerate(tree) if token.low == "like" and _like_you(tree, one)]
    if likes and not set(likes).isdisjoint(tree.whole(clause.verb, clause.apart)):
        return []
    own = _kept(tree, clause, set(clause.apart))
    if clause.about is None:
        return own
    lead = _kept(tree, of_verb(tree, clause.about), {*clause.apart, clause.verb, *tree.under(clause.about, "cc")})
    joint = max(one for one in tree.under(clause.about, "cc") if one < clause.verb)
    comma = [joint - 1] if tree[joint - 1].low == "," else []
    return [*lead, *comma, joint, *own]


def _near(tree: Tree, verb: int) -> list[int]:
    """The places of what depends on a verb, and of what depends on its objects."""
    below = tree.below[verb]
    return [*below, *(one for each in tree.under(verb, "dobj", "attr", "acomp") for one in tree.below[each])]


def _by_you(tree: Tree, one: int) -> bool:
    """True for a phrase without which something else is said: `I have faith in you`, `with your help I can`."""
    return (
        tree[one].dep == "prep"
        and tree[one].low != "like"
        and any(tree[each].low in SECOND for each in tree.whole(one))
    )


def _like_you(tree: Tree, one: int) -> bool:
    """True for the `like you` of `people like you`, without which more people are spoken of."""
    return (
        (tree[one].dep, tree[one].low) == ("prep", "like")
        and tree[tree[one].head].tag in _NOUNS
        and any(tree[each].low in SECOND for each in tree.below[one])
    )


def pruned(tree: Tree, clause: Clause, places: Sequence[int]) -> Iterator[list[int]]:
    """Return *places* with ever less of what is no argument of the verb, the last first."""
    left = list(places)
    for one in sorted((one for one in places if one > clause.verb and tree[one].dep in _ADJUNCTS), reverse=True):
        below = set(tree.whole(one))
        left = trimmed(tree, [place for place in left if place not in below])
        yield left


def split(tree: Tree, clause: Clause) -> Iterator[tuple[Clause, list[int]]]:
    """Return each of the verbs joined under one subject as a clause of its own, the subject in front."""
    every = {clause.verb, *clause.joined}
    subject = sorted(tree.whole(clause.subject)) if clause.subject is not None else []
    for verb in sorted(every):
        if tree[verb].tag == "VBG" and tree[clause.verb].tag != "VBG" and not tree.under(verb, "aux"):
            continue  # `I respect him for that and being able to wait`
        own = Clause(verb, clause.subject, (), clause.apart | every - {verb})
        places = _kept(tree, own, set(own.apart))
        yield own, places if verb == clause.verb else subject + [one for one in places if one not in subject]


def of_relative(tree: Tree, verb: int) -> list[int]:
    """Return the places of `we took a road trip` where `a road trip we took` is said; none where they do not say it."""
    noun = tree[verb].head
    if (
        tree[noun].tag not in _NOUNS
        or tree[noun].low in _WHOLE | _ANYTHING
        or any(tree[one].tag in ("WRB", "WP$") for one in tree.whole(verb))
    ):
        return []
    if any(tree[one].tag not in _RELATIVES for one in tree.under(verb, "dobj", "attr", "acomp", "ccomp")):
        return []  # the noun is something else than its object
    relatives = {one for one in tree.whole(verb) if tree[one].tag in _RELATIVES}
    own = _kept(tree, of_verb(tree, verb), relatives)
    beside = {verb, *tree.under(noun, "relcl", "cc", "conj", "appos", "punct")}
    beside |= {one for one in tree.whole(noun) if _vague(tree, one)}
    object = sorted(tree.whole(noun, frozenset(beside)))
    at = own.index(max([verb, *(one for one in tree.under(verb, "xcomp") if one in own)])) + 1
    while at < len(own) and (tree[own[at]].dep == "prt" or (tree[own[at]].dep == "prep" and not tree.below[own[at]])):
        at += 1
    return own[:at] + object + own[at:]


def without_joint(tree: Tree, verb: int) -> list[int]:
    """Return the tokens of a clause that depends on another, without the word that joins it."""
    joints = {one for one in tree.under(verb, "mark", "advmod") if one < verb}
    return _kept(tree, of_verb(tree, verb), joints)


def _kept(tree: Tree, clause: Clause, dropped: set[int]) -> list[int]:
    for one in sorted(tree.whole(clause.verb, frozenset(dropped))):
        if one != clause.verb and _says_nothing(tree, clause, one):
            dropped.add(one)
    places = [one for one in sorted(tree.whole(clause.verb, frozenset(dropped))) if not _emptied(tree, one, dropped)]
    return trimmed(tree, _uncounted(tree, places))


def _says_nothing(tree: Tree, clause: Clause, one: int) -> bool:
    token = tree[one]
    if token.dep not in _LOOSE and token.low not in _LOOSE_WORDS:
        return not token.text.isascii() and _face(tree, one)
    if token.dep in _CUT or _vague(tree, one) or _spoken_to(tree, one):
        return True
    if _of_degree(tree, one):
        return True
    if token.low == "of" and not tree.below[one] and one and tree[one - 1].low in ("sort", "kind"):
        return True  # `I sort of made it up`
    if token.dep == "prep" and [tree[each].low for each in tree.below[one]] == ["me"] and _of_it(tree, clause):
        return True  # `it's important to me that …`
    if (token.dep, token.tag) == ("advmod", "RB") and not tree.below[one]:
        if _joins(tree, one):
            return False
        return token.low in _COMMENTS
    if token.dep in _ASIDES and any(tree[each].low in SECOND for each in tree.whole(one, clause.apart)):
        return True
    if token.dep == "relcl":
        return _subject(tree, one) in (UNRESOLVED - {"that", "it"}) | SECOND
    if token.low in ("both", "all") and token.dep not in ("dobj", "pobj", "attr") and _of_speakers(tree, one):
        return True
    if not token.text.isascii() and _face(tree, one):
        return True
    if token.dep == "prep" and one < clause.verb and _only_joins(tree, one):
        return True
    if token.dep == "advcl":
        if "since" in _joints(tree, one) and verbs.lemma(token.low) in _SPEAKING:
            return True
        return _subject(tree, one) in UNRESOLVED and _joints(tree, one).isdisjoint(_REASONS)
    return False


def _face(tree: Tree, one: int) -> bool:
    return not any(sign.isalnum() for sign in tree[one].text) and not tree.below[one]


def _of_degree(tree: Tree, one: int) -> bool:
    """True for the `far` of `so far`, the `much` of `pretty much`, and the `well` of `as well`, not of `as well as`."""
    degree = _DEGREES.get(tree[one].low)
    return (
        degree is not None
        and any(tree[each].low == degree for each in tree.below[one])
        and not _before(tree, one, "as")
    )


def _of_it(tree: Tree, clause: Clause) -> bool:
    return clause.subject is not None and tree[clause.subject].low == "it"


def _joins(tree: Tree, one: int) -> bool:
    """True for an adverb that does more than add weight: `even though`, `instead of`, `so many`, `so old that …`."""
    low, head = tree[one].low, tree[one].head
    if low == "instead":
        return _before(tree, one, "of")
    if low == "even":
        return _before(tree, one, "though", "if", "when")
    if low != "so":
        return False
    clause = tree[head].dep == "advcl" and one < head
    return clause or _before(tree, one, "-", "much", "many", "do", "does", "did") or bool(tree.under(head, "ccomp"))


def _before(tree: Tree, one: int, *low: str) -> bool:
    """Return whether a token stands before one of these."""
    return one + 1 < len(tree) and tree[one + 1].low in low


def _of_speakers(tree: Tree, one: int) -> bool:
    """True for the `both` of `we both` and of `we're both`."""
    return any(tree[each].low == "we" for each in range(max(0, one - 2), one))


def _only_joins(tree: Tree, one: int) -> bool:
    """True for a phrase that leads from what was said before to what follows: `besides that`, `on another note`."""
    below = [each for each in tree.whole(one) if each != one]
    if tree[one].low == "as" and [tree[each].low for each in sorted(below)] == ["for", "me"]:
        return True
    return bool(below) and all(tree[each].low in _LEADS or tree[each].dep in ("det", "punct") for each in below)


def _joints(tree: Tree, verb: int) -> set[str]:
    """The words that join a clause to the one it depends on."""
    return {tree[each].low for each in tree.under(verb, "mark", "advmod")}


def _vague(tree: Tree, one: int) -> bool:
    return (tree[one].dep, tree[one].low) == ("det", "some")


def _subject(tree: Tree, verb: int) -> str:
    place = subject_of(tree, verb)
    return "" if place is None else tree[place].low


def _spoken_to(tree: Tree, one: int) -> bool:
    """True for a name that a comma parts from the rest: `I get it, Jon`."""
    token = tree[one]
    return token.dep == "npadvmod" and token.tag in ("NNP", "NNPS") and not tree.below[one] and _comma_beside(tree, one)


def _comma_beside(tree: Tree, one: int) -> bool:
    return any(0 <= at < len(tree) and tree[at].low == "," for at in (one - 1, one + 1))


def _emptied(tree: Tree, one: int, dropped: set[int]) -> bool:
    """True for a joint or a preposition whose other part was left out."""
    token = tree[one]
    if token.dep == "cc":
        later = tree.under(token.head, "conj")
        return bool(later) and all(each in dropped for each in later)
    return token.dep == "prep" and bool(tree.below[one]) and all(each in dropped for each in tree.below[one])


def _uncounted(tree: Tree, places: Sequence[int]) -> list[int]:
    """Return *places* without `a lot of`."""
    gone = set[int]()
    for one in places:
        if tree[one].low == "of" and one and tree[one - 1].low in ("sort", "kind") and tree[one - 1].dep == "advmod":
            gone.add(one)  # `I'm kind of a loner`
        if tree[one].low not in _QUANTITIES:
            continue
        of = next((each for each in tree.under(one, "prep") if tree[each].low == "of"), None)
        if of is not None:
            gone |= {one, of, *(each for each in tree.below[one] if each < one)}
    return [one for one in places if one not in gone] if gone else list(places)


def trimmed(tree: Tree, places: Sequence[int]) -> list[int]:
    """Return *places* without marks and joints at both ends, and without a mark behind another or behind a joint."""
    left = list[int]()
    for one in places:
        mark = tree[one].dep == "punct" and tree[one].low in (",", "-", "--", "…", "...")
        if not (mark and left and tree[left[-1]].dep in ("punct", "cc")):
            left.append(one)
    while left and (tree[left[0]].dep in ("cc", "punct") or tree[left[0]].low in _BEGINNINGS):
        left.pop(0)
    while left and (tree[left[-1]].dep in _EDGES or tree[left[-1]].tag in (",", ":", "CC", ".")):
        left.pop()
    return left
