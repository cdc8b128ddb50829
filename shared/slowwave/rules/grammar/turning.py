"""Turning clauses about a thing into statements of whoever speaks: `it made me realize …` as `Nora realized …`."""

from dataclasses import dataclass

from slowwave.rules.grammar.clauses import AUXILIARIES, Clause, subject_of
from slowwave.rules.grammar.tree import SPEAKER, Tree
from slowwave.rules.statements import verbs
from slowwave.rules.statements.judging import says_how_it_was
from slowwave.rules.statements.tellers import OWN
from slowwave.rules.statements.words import SECOND, these

_IT = these("it that this")
_BY = _IT | these("which he she they") | {""}
"""Subjects that were named before, or are left out."""
_MOVED = {
    "remind": "reminded",
    "motivate": "motivated",
    "inspire": "inspired",
    "encourage": "encouraged",
    "teach": "taught",
}
"""What something does to the speaker."""
_SPELLS = these("day days time night evening morning afternoon weekend week year trip experience adventure party")


_NOT_HAD = these("favorite favourite first last only own best biggest turn goal dream plan hope fault point way")
"""Words of what somebody has, but in another way than a dog."""


_THIS = these("this that these those")
_IS = these("is 's are 're")


@dataclass(frozen=True, slots=True)
class Turned:
    """A clause as it is told: its *kind*, the *verb* behind the name, and the place *behind* which its words follow."""

    kind: str
    verb: str
    behind: int


def turned(tree: Tree, clause: Clause) -> Turned | None:
    """Return how a clause about something is told of the speaker, or None where it is not."""
    subject = "" if clause.subject is None else tree[clause.subject].low
    if subject in _BY and (found := _moved(tree, clause.verb, subject)):
        return found
    past = tree[min([clause.verb, *tree.under(clause.verb, *AUXILIARIES)])].tag == "VBD"
    if subject == "it" and _judges(tree, clause):
        return Turned("finds", "found it" if past else "finds it", clause.verb)
    if owned := _is_mine(tree, clause):
        return owned
    return Turned("shows", "has", clause.verb) if _shows(tree, clause) else None


def _is_mine(tree: Tree, clause: Clause) -> Turned | None:
    """`This is my dog Max` as `has a dog Max`."""
    subject = "" if clause.subject is None else tree[clause.subject].low
    if subject not in _THIS or tree[clause.verb].low not in _IS:
        return None
    for noun in tree.under(clause.verb, "attr"):
        mine = min(tree.whole(noun))
        if tree[mine].low in ("my", "our") and _NOT_HAD.isdisjoint(tree[one].low for one in tree.whole(noun)):
            vowel = tree[mine + 1].low[0] in "aeiou"
            article = {"NN": " an" if vowel else " a", "NNS": ""}.get(tree[noun].tag)
            return None if article is None else Turned("shows", f"has{article}", mine)
    return None


def _moved(tree: Tree, verb: int, subject: str) -> Turned | None:
    """`It made me realize …`, `it reminds me of …`, `it was a day with my …`."""
    if tree.under(verb, "neg") or any(tree[one].tag == "MD" for one in tree.under(verb, "aux")):
        return None
    lemma, past = verbs.lemma(tree[verb].low), tree[verb].tag in ("VBD", "VBN")
    if lemma == "make":
        return next((_made(tree, one, past=past) for one in tree.under(verb, "ccomp") if _by_me(tree, one)), None)
    if tree[verb].low == "was" and subject in _IT and any(_spell(tree, verb, one) for one in tree.under(verb, "attr")):
        return Turned("moved", "had", verb)
    me = [one for one in tree.under(verb, "dobj", "dative") if tree[one].low == "me"]
    of = any(tree[one].low == "of" for one in tree.under(verb, "prep"))
    if lemma not in _MOVED or not me or (of and subject in ("this", "that")):
        return None
    return Turned("moved", f"{'was' if past else 'is'} {_MOVED[lemma]}", me[0])


def _made(tree: Tree, verb: int, *, past: bool) -> Turned:
    lemma = verbs.lemma(tree[verb].low)
    return Turned("moved", verbs.past(lemma) if past else verbs.third(lemma), verb)


def _by_me(tree: Tree, verb: int) -> bool:
    subject = subject_of(tree, verb)
    return tree[verb].tag == "VB" and subject is not None and tree[subject].low == "me"


def _spell(tree: Tree, verb: int, noun: int) -> bool:
    """True for a time that somebody had with theirs: `an awful day at my office`."""
    indefinite = any(tree[one].low in ("a", "an") for one in tree.below[noun])
    whole = tree.whole(verb, frozenset(tree.under(verb, "conj", "parataxis", "ccomp")))
    return indefinite and tree[noun].low in _SPELLS and any(tree[one].low in OWN for one in whole)


def _judges(tree: Tree, clause: Clause) -> bool:
    """True for `it's hard to leave`: by what is hard for somebody, or about something of theirs."""
    verb = clause.verb
    if verbs.lemma(tree[verb].low) != "be" and tree[verb].low not in ("felt", "feels"):
        return False
    for adjective in tree.under(verb, "acomp"):
        about = tree.under(verb, "xcomp", "ccomp", "csubj", "advcl") + tree.under(adjective, "xcomp", "ccomp")
        if any(one > adjective and _judged(tree, one) for one in about):
            low = {tree[one].low for one in tree.whole(verb, clause.apart)}
            return bool(low & OWN) or says_how_it_was(tree[adjective].low) or not low & (SECOND | {"hear"})
    return False


def _judged(tree: Tree, verb: int) -> bool:
    if tree[verb].tag in ("VB", "VBG") and subject_of(tree, verb) is None:
        return True
    return any(tree[one].low in ("how", "that") for one in tree.under(verb, "mark", "advmod", "acomp"))


def _shows(tree: Tree, clause: Clause) -> bool:
    """True for `here's a picture of my boat`; what the speaker did with it is told by itself."""
    places = list(tree.whole(clause.verb, clause.apart))
    if verbs.lemma(tree[clause.verb].low) != "be" or tree[min(places)].low != "here":
        return False
    for one in places:
        subject = subject_of(tree, one) if tree[one].dep == "relcl" else None
        if subject is not None and tree[subject].low in SPEAKER and tree[tree[one].head].head == clause.verb:
            return False
    return any(tree[one].low in OWN for one in places)
