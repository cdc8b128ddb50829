"""Clauses that tell of whoever speaks: as their subject, by something of theirs, or by what they are about."""

from slowwave.rules.grammar.clauses import AUXILIARIES, SUBJECTS, Clause, tensed
from slowwave.rules.grammar.holding import holds
from slowwave.rules.grammar.tree import SPEAKER, Tree
from slowwave.rules.grammar.turning import turned
from slowwave.rules.statements import verbs
from slowwave.rules.statements.tellers import CONDITIONS, OWN
from slowwave.rules.statements.words import OF_FIRST, SECOND, UNRESOLVED, these

_BEFORE_VERB = (*AUXILIARIES, "advmod", "intj", "punct", "neg", "cc")
_NOUNS = frozenset(("NN", "NNS", "NNP", "NNPS", "CD"))
_NAMING = frozenset(("pcomp", "dobj", "xcomp", "csubj", "pobj"))
"""How a verb in *-ing* depends on others where it stands for a noun: `enjoys rowing`."""
_SO = these("since after when because cause 'cause as so and but")
"""Words that join a clause which says that something was so."""
_REPORTED = these("how why what who where which")
_FELT = these("need want love hate miss")
"""Verbs that begin no call: `need help with the roof`."""
_WATCHING = these("know knowing hear hearing see seeing think thinking say saying have having feel feeling be being")
"""What stands for a noun and says little: `seeing them makes my day`."""
_NAMED = these("they she he it")
"""Who or what was named before."""
PARTICIPLES = these("excited inspired determined motivated blessed relieved thrilled tired stressed")
"""Participles that say how somebody is, where they begin a sentence."""


STATES = these("busy excited proud ready grateful thankful hopeful")
"""Adjectives that say how somebody is, likewise: `busy with exams`."""
_BEING = these("is 's are was were be")


def kind_of(tree: Tree, clause: Clause) -> str | None:
    """Return how a clause tells of whoever speaks, or None where it does not.

    They are its subject (`i`, `we`), which may be left out (`elided`); it is `turned` to them (`finds`, `moved`,
    `shows`); something of theirs is its subject (`my`); they occur in it (`other`); it goes on about something that
    was named before (`more`); or it says what they hold of things in general (`holds`).
    """
    low = "" if clause.subject is None else tree[clause.subject].low
    if low in SPEAKER:
        return low
    if told := turned(tree, clause):
        return told.kind
    if clause.subject is None:
        return "elided" if _elided(tree, clause.verb) else None
    if low in SECOND or not (tensed(tree, clause.verb) or tree[clause.verb].tag == "VB"):
        return None
    return _beside(tree, clause, clause.subject) or ("holds" if holds(tree, clause) else None)


def _beside(tree: Tree, clause: Clause, subject: int) -> str | None:
    """Likewise, of a clause whose subject is somebody or something else."""
    low = {tree[one].low for one in tree.whole(clause.verb, clause.apart)}
    begin = {tree[one].low for one in tree.whole(subject)}
    if begin & SPEAKER and (tree.under(subject, "relcl") or _with_speaker(tree, subject)):
        return "my"
    if tree[subject].low in _NAMED:
        return None if low & SECOND else "more"
    if not low & OF_FIRST or tree[subject].low in _WATCHING:
        return None
    if tree[subject].low in UNRESOLVED or any(tree[one].low in UNRESOLVED for one in tree.under(subject, "poss")):
        return "more"
    if begin & OF_FIRST:
        general = tree[subject].tag == "VBG" and low.isdisjoint(OWN) and holds(tree, clause)
        return "holds" if general else "my"  # `taking time for ourselves is vital` holds of everybody
    return "other" if low & OWN or tree[clause.verb].tag == "VBD" else None


def _with_speaker(tree: Tree, subject: int) -> bool:
    """True for `Anton and I`."""
    return any(tree[one].low in SPEAKER for one in tree.under(subject, "conj"))


def names_something(tree: Tree, kept: list[int]) -> bool:
    """Return whether *kept* has a noun, or a verb that stands for one, beyond when it was, or more than one verb."""
    if sum(tree[one].tag in ("VB", "VBG", "JJ") for one in kept) > 1:
        return True
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
    return [one for one in _spoken(tree, clause) if tensed(tree, one) and _so(tree, clause, one)]


def _so(tree: Tree, clause: Clause, verb: int) -> bool:
    joints = {tree[each].low for each in tree.under(verb, "mark", "advmod") if each < verb}
    if not joints.isdisjoint(CONDITIONS | _REPORTED):
        return False
    if tree[verb].dep == "advcl":
        begin = min(tree.whole(verb))
        if begin and tree[begin - 1].low == "like":
            return False  # `it's like when I was ill` compares
        return not joints.isdisjoint(_SO) and verbs.lemma(tree[verb].low) != "be"
    return tree[verb].dep == "ccomp" and tree[verb].head == clause.verb and verb < clause.verb


def _spoken(tree: Tree, clause: Clause) -> list[int]:
    """The verbs within a clause whose subject is the speaker, in order."""
    subjects = [one for one, token in enumerate(tree) if token.low in SPEAKER and token.dep in SUBJECTS]
    heads = {tree[one].head for one in subjects if tree[one].head != clause.verb}
    return sorted(heads & set(tree.whole(clause.verb, clause.apart))) if heads else []


def _elided(tree: Tree, verb: int) -> bool:
    """True for a verb with which its sentence begins, where it can have lost a subject: `Took the kids out`."""
    token = tree[verb]
    if any(tree[one].low in ("me", "us") for one in tree.below[verb]):
        return False
    if any(tree[one].dep not in _BEFORE_VERB or tree[one].tag == "MD" for one in tree.below[verb] if one < verb):
        return False
    if token.low == "been" and tree.under(verb, "attr"):
        return False
    if token.tag == "VBN" and token.low in PARTICIPLES:
        return True
    if token.low in STATES and tree.under(verb, "prep", "xcomp"):
        return True
    if tree.under(verb, "neg"):
        return any(tree[one].low == "did" for one in tree.under(verb, "aux"))
    if token.tag == "VBG" and _is_subject(tree, verb):
        return False
    past = token.tag in ("VBD", "VBN") or verbs.is_past(token.low)
    going_on = token.tag == "VBG" and all(tree[one].tag == "VBN" for one in tree.under(verb, "aux"))
    apart = () if verbs.lemma(token.low) == "hope" else ("ccomp", "conj")
    if going_on and any(tensed(tree, one) for one in tree.whole(verb) if tree[one].dep in apart):
        return False  # `Taking a break is important`, which parsers misread
    return past or going_on or (token.low in _FELT and bool(tree.under(verb, "dobj", "xcomp")))


def _is_subject(tree: Tree, verb: int) -> bool:
    """True for `Giving a talk before a game can be helpful`, which parsers misread."""
    whole = tree.whole(verb, frozenset(tree.under(verb, "relcl")))
    being = [one for one in whole if one > verb and tree[one].low in _BEING and tree[one].dep not in AUXILIARIES]
    return any(all(tree[each].low not in SPEAKER for each in tree.below[one]) for one in being)
