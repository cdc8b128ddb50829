"""Clauses that tell of whoever speaks: as their subject, by something of theirs, or by what they are about."""

from slowwave.rules.grammar.clauses import AUXILIARIES, Clause, subject_of, tensed
from slowwave.rules.grammar.tree import Tree
from slowwave.rules.statements import verbs
from slowwave.rules.statements.words import OF_FIRST, SECOND, UNRESOLVED, these

SPEAKER = frozenset(("i", "we"))
"""Who speaks, as a subject."""
_BEFORE_VERB = (*AUXILIARIES, "advmod", "intj", "punct", "neg", "cc")
_NOUNS = frozenset(("NN", "NNS", "NNP", "NNPS", "CD"))
_NAMING = frozenset(("pcomp", "dobj", "xcomp", "csubj", "pobj"))
"""How a verb in *-ing* depends on others where it stands for a noun: `enjoys rowing`."""
_SO = these("since after when because cause 'cause as")
"""Words that join a clause which says that something was so."""


def kind_of(tree: Tree, clause: Clause) -> str | None:
    """Return how a clause tells of whoever speaks, or None where it does not.

    They are its subject (`i`, `we`), which may be left out (`elided`); they judge (`finds`); something of theirs is its
    subject (`my`); or they occur in it (`other`).
    """
    if clause.subject is None:
        return "elided" if _elided(tree, clause.verb) else None
    low = tree[clause.subject].low
    if low in SPEAKER:
        return low
    own = any(tree[one].low in OF_FIRST for one in tree.whole(clause.verb, clause.apart))
    if not own or not tensed(tree, clause.verb):
        return None
    if judges(tree, clause):
        return "finds"
    if low in UNRESOLVED or low in SECOND:
        return None
    return "my" if any(tree[one].low in OF_FIRST for one in tree.whole(clause.subject)) else "other"


def judges(tree: Tree, clause: Clause) -> bool:
    """Return whether a clause judges what follows in it: `it's hard to leave`."""
    verb, subject = tree[clause.verb].low, clause.subject
    if subject is None or tree[subject].low != "it" or (verbs.lemma(verb) != "be" and verb not in ("felt", "feels")):
        return False
    for adjective in tree.under(clause.verb, "acomp"):
        about = tree.under(clause.verb, "xcomp", "ccomp", "csubj", "advcl") + tree.under(adjective, "xcomp", "ccomp")
        if any(one > adjective and tree[one].tag in ("VB", "VBG") and subject_of(tree, one) is None for one in about):
            return True
    return False


def names_something(tree: Tree, kept: list[int]) -> bool:
    """Return whether *kept* has a noun, or a verb that stands for one, beyond when it was."""
    return any(
        tree[one].tag in _NOUNS or (tree[one].tag == "VBG" and tree[one].dep in _NAMING)
        for one in kept
        if tree[one].dep != "npadvmod"
    )


def of_speaker(tree: Tree, clause: Clause) -> list[int]:
    """Return the verbs of relative clauses whose subject is the speaker: `a road trip we took`."""
    return [one for one in _spoken(tree, clause) if tree[one].dep == "relcl"]


def by_the_way(tree: Tree, clause: Clause) -> list[int]:
    """Return the verbs of clauses that say what the speaker did, within one that is not told itself."""
    return [
        one
        for one in _spoken(tree, clause)
        if (tree[one].dep, tree[one].tag) == ("advcl", "VBD")
        and verbs.lemma(tree[one].low) != "be"
        and any(tree[each].low in _SO for each in tree.under(one, "mark", "advmod"))
    ]


def _spoken(tree: Tree, clause: Clause) -> list[int]:
    """The verbs within a clause whose subject is the speaker, in order."""
    found = []
    for one in sorted(tree.whole(clause.verb, clause.apart)):
        subject = subject_of(tree, one)
        if one != clause.verb and subject is not None and tree[subject].low in SPEAKER:
            found.append(one)
    return found


def _elided(tree: Tree, verb: int) -> bool:
    """True for a verb with which its sentence begins, where it can have lost a subject: `Took the kids out`."""
    token = tree[verb]
    past = token.tag in ("VBD", "VBN") or verbs.is_past(token.low)
    going_on = token.tag == "VBG" and all(tree[one].tag == "VBN" for one in tree.under(verb, "aux"))
    return (past or going_on) and all(tree[one].dep in _BEFORE_VERB for one in tree.below[verb] if one < verb)
