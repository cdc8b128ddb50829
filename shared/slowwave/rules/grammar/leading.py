"""Clauses that tell nothing of the speaker by themselves, but say what the next one is about: `the show went well`."""

from slowwave.rules.grammar.clauses import AUXILIARIES, Clause, tensed
from slowwave.rules.grammar.tree import Tree
from slowwave.rules.statements.tellers import CONDITIONS
from slowwave.rules.statements.words import QUESTION, SECOND, UNRESOLVED, these

_NOUNS = frozenset(("NN", "NNS", "NNP", "NNPS"))
_POSSIBLE = these("could should might may must would can")
_NOBODY = these("everyone everybody nobody nothing everything anyone one who what life people things thing")


def leads(tree: Tree, clause: Clause) -> bool:
    """Return whether a clause says of something that is named in it how it is, was or went."""
    subject, verb = clause.subject, clause.verb
    if subject is None or subject > verb or tree[subject].tag not in _NOUNS or not tensed(tree, verb):
        return False
    if any(tree[one].low in _POSSIBLE for one in tree.under(verb, *AUXILIARIES)) or tree[subject].low in _NOBODY:
        return False
    low = {tree[one].low for one in tree.whole(verb, clause.apart)}
    return low.isdisjoint(SECOND | UNRESOLVED | CONDITIONS) and tree[min(tree.whole(subject))].low not in QUESTION
