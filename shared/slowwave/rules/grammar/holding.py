"""Clauses that say what somebody holds of the world at large: `strength training prevents injuries`."""

from collections.abc import Sequence

from slowwave.rules.grammar.clauses import AUXILIARIES, Clause
from slowwave.rules.grammar.tree import Tree
from slowwave.rules.statements import verbs
from slowwave.rules.statements.words import FIRST, SECOND, UNRESOLVED, these

_GENERAL = frozenset(("NN", "NNS", "NNP", "NNPS", "VBG"))
_POINTING = these(
    """the this that these those another some one ones who what which whoever everyone anybody nobody nothing
    everything all"""
)
"""Words that point at something that was named or shown before, or at nobody in particular."""
_JUDGING = these("be help make bring give have build create take keep mean matter let feel brighten teach show")
"""Verbs of what things are, and of what they do to people; the others tell of the world."""
_THERE = these("there there's")
_MAY = these("can ca will would")


def holds(tree: Tree, clause: Clause) -> bool:
    """Return whether a clause says of things in general, none of them the speaker's, how they are or what they do."""
    subject, verb = clause.subject, clause.verb
    if subject is None or subject > verb or verbs.lemma(tree[verb].low) not in _JUDGING:
        return False
    low = {tree[one].low for one in tree.whole(verb, clause.apart)}
    if tree[subject].low == "there":
        return low.isdisjoint(SECOND | (UNRESOLVED - {"there"})) and _present(tree, verb)
    if tree[subject].tag not in _GENERAL or not low.isdisjoint(FIRST | SECOND | UNRESOLVED):
        return False
    if tree[subject].tag == "VBG":
        return _present(tree, verb) or tree[verb].low in ("was", "felt")
    return _present(tree, verb) and not any(tree[one].low in _POINTING for one in (subject, *tree.below[subject]))


def may_hold(low: Sequence[str]) -> bool:
    """Return whether the words of a sentence, in lower case, may say so: what needs no parse is told by its words."""
    if low[0] in _POINTING or low[0] in UNRESOLVED - _THERE:
        return False
    return any(word.endswith("'s") or verbs.lemma(word) in _JUDGING or word in _MAY for word in low)


def held(tree: Tree, clause: Clause) -> str:
    """Return how somebody is said to hold what a clause says: `thinks`, or `found that` of what is over."""
    return "thinks" if _present(tree, clause.verb) else "found that"


def _present(tree: Tree, verb: int) -> bool:
    helpers = tree.under(verb, *AUXILIARIES)
    first = tree[helpers[0]] if helpers else tree[verb]
    return first.low in _MAY if first.tag == "MD" else first.tag in ("VBZ", "VBP")
