"""Clauses that are worth noting: no courtesy, reaction, call, hearsay or condition, nor what is only possible."""

from collections.abc import Callable, Iterable, Sequence

from slowwave.rules.grammar.clauses import AUXILIARIES, Clause
from slowwave.rules.grammar.tree import Tree
from slowwave.rules.statements import verbs
from slowwave.rules.statements.hollow import SAYS_LITTLE
from slowwave.rules.statements.tellers import CONDITIONS, OWN, content, saying
from slowwave.rules.statements.words import PREPOSITIONS, SECOND, Word, these
from slowwave.rules.statements.worth import telling

_NOUNS = frozenset(("NN", "NNS", "NNP", "NNPS"))
_DOUBTED = CONDITIONS | these("apparently supposedly reportedly would've could've")
_CALLS = these("let's let lets remember check look here's don't do")
_OF_ALL = these("all should need must gotta never")
"""Who says *we* with one of these speaks of people in general."""
_UNSAID = these("is are was 's")
"""Words with which nothing ends that says how something is."""
_NEWS = these("news update updates surprise announcement")
"""What somebody has to tell, and does not say yet."""
_FOR_LONG = these("hours years childhood")
"""For how long, or when, somebody did again and again what they *would* do."""
_COMPARED = these("different similar")
"""Who says *we* with one of these tells how people differ."""
_REACTIONS = these(
    """glad happy sorry sure stoked pumped thrilled impressed amazed jealous curious here fine good okay ok up down
    back alright great honored well with like"""
)
"""What a first person is who reacts to another."""
_TO_TALK = these("check say ask tell thank let catch hear see talk read know share")
_VAGUE = these("how that the these those this it what when them all")
_POSSIBLE = these("could should might may must would 'd d")
_TALK = these(
    """thank congratulate apologize welcome guess understand mean suppose wonder wish imagine cheer bless doubt promise
    root swear say forget bet"""
)
"""Verbs by which a first person talks about the talk; their participles tell what happened."""


LEAST = 2
LEAST_HELD = 5
"""Words that say something, of what somebody thinks of things in general: fewer are a commonplace."""
_ROUNDABOUT = frozenset(("holds", "moved", "finds", "shows", "elided"))
"""Kinds of clauses that tell of somebody in a roundabout way, and have to say what they are about."""


def says_enough(low: Iterable[str]) -> bool:
    """Return whether *low*, the words of a statement that say something, tell what it is about."""
    return len({word for word in low if word not in SAYS_LITTLE}) >= LEAST


def _of_noun(tree: Tree, verb: int) -> bool:
    return any(tree[one].tag in _NOUNS for one in tree.under(verb, "dobj"))


def _of_clause(tree: Tree, verb: int) -> bool:
    return bool(tree.under(verb, "ccomp"))


def _of_plan(tree: Tree, verb: int) -> bool:
    return any(tree[one].low not in _TO_TALK for one in tree.under(verb, "xcomp"))


def _of_own(tree: Tree, verb: int) -> bool:
    """True for what somebody says of something of theirs."""
    return any(tree[one].low in OWN for clause in tree.under(verb, "ccomp", "xcomp") for one in tree.whole(clause))


def _done(tree: Tree, verb: int) -> bool:
    return tree[verb].tag in ("VBD", "VBN") and _of_noun(tree, verb) and not _of_clause(tree, verb)


def _saw_how(tree: Tree, verb: int) -> bool:
    """True for `I saw how the floods hit my street`."""
    return tree[verb].low == "saw" and any(
        tree[one].low == "how" for about in tree.under(verb, "ccomp") for one in tree.under(about, "advmod")
    )


_SAY_SOMETHING: dict[str, Callable[[Tree, int], bool]] = {
    "appreciate": _of_noun,
    "support": _of_noun,
    "agree": _of_clause,
    "believe": lambda tree, verb: _of_clause(tree, verb) or bool(tree.under(verb, "prep")),
    "hope": lambda tree, verb: _of_plan(tree, verb) or _of_own(tree, verb),
    "hear": _done,
    "see": lambda tree, verb: _done(tree, verb) or _saw_how(tree, verb),
    "ask": _done,
    "tell": _done,
    "know": lambda tree, verb: tree[verb].low in ("known", "knew"),
}
"""Verbs of talk that tell something where they govern more than the talk: `believes in ghosts`, `heard a concert`."""


def worth(tree: Tree, clause: Clause, kind: str, words: Sequence[Word]) -> bool:
    """Return whether a clause of this *kind*, of which the *words* are told, is worth noting."""
    low = [word.low for word in words]
    if not _tells(kind, words) or (kind == "holds" and not _begins_with_subject(tree, clause, low)):
        return False
    if (
        not says_enough(saying(low))
        or not SECOND.isdisjoint(low)
        or not _DOUBTED.isdisjoint(low)
        or (low[0] in _CALLS and kind != "shows")
    ):
        return False
    if (kind == "we" and _of_all_people(tree, clause)) or _only_announces(tree, clause.verb):
        return False
    if kind in ("my", "other"):
        return low[0] not in _REACTIONS and not (low[0] in PREPOSITIONS and "," not in low) and not _of_everybody(low)
    if kind in ("i", "we") and low[0] == "been":
        return False  # a list of what was done, whose first member is cut short
    if kind != "we" and "each other" in " ".join(low):
        return False
    if kind not in ("i", "we", "elided"):
        return True
    if kind == "we" and _of_people(tree, clause, low):
        return False
    verb = _main(tree, clause.verb)
    return not (_about_talk(tree, verb) or _reaction(tree, verb) or _only_possible(tree, clause.verb))


def _tells(kind: str, words: Sequence[Word]) -> bool:
    """True for words that a stranger can hold on to."""
    if kind not in _ROUNDABOUT or (kind == "finds" and any(word.low in OWN for word in words)):
        return True
    told = telling(words) if words[-1].low not in _UNSAID else 0
    return told >= LEAST and (kind != "holds" or told > LEAST or content(words) >= LEAST_HELD)


def _begins_with_subject(tree: Tree, clause: Clause, low: Sequence[str]) -> bool:
    return clause.subject is not None and tree[min(tree.whole(clause.subject))].low == low[0].partition("'")[0]


def _of_all_people(tree: Tree, clause: Clause) -> bool:
    """True for `together we can do it`: of one of them alone it is not said."""
    return any(tree[one].low in ("can", "could", "ca") for one in tree.under(clause.verb, "aux"))


def _main(tree: Tree, verb: int) -> int:
    """The verb that says what is going on: `paint` in `I'm going to paint`."""
    if tree[verb].low in ("going", "gon", "gonna"):
        return next((one for one in tree.under(verb, "xcomp") if tree[one].tag == "VB"), verb)
    return verb


def _about_talk(tree: Tree, verb: int) -> bool:
    low, lemma = tree[verb].low, verbs.lemma(tree[verb].low)
    if lemma in _TALK:
        return tree[verb].tag not in ("VBN", "VBD") or low in ("guessed", "wished", "thanked", "said")
    if lemma in _SAY_SOMETHING:
        return not _SAY_SOMETHING[lemma](tree, verb)
    if lemma == "want" and any(tree[one].low in _TO_TALK - {"read", "see"} for one in tree.under(verb, "xcomp")):
        return True
    if lemma in ("love", "like"):
        own = [one for one in tree.below[verb] if one > verb]
        return bool(own) and tree[min(tree.whole(own[0]))].low in _VAGUE and len(list(tree.whole(verb))) < 8
    if lemma == "keep":
        return bool(tree.under(verb, *AUXILIARIES))
    if lemma in ("wait", "believe") and tree.under(verb, "neg"):
        return True
    return lemma == "do" and any(tree[one].low in _REACTIONS for one in tree.under(verb, "advmod", "acomp"))


def _reaction(tree: Tree, verb: int) -> bool:
    """True for `I'm glad that went well`, not for what somebody is about to do: `thrilled to open a shop`."""
    if verbs.lemma(tree[verb].low) != "be":
        return False
    for one in tree.under(verb, "acomp", "advmod", "prep"):
        if tree[one].low in _REACTIONS:
            if any(tree[each].low in ("i", "we", "my", "our") for about in tree.under(one, "ccomp")
                   for each in tree.whole(about)):  # fmt: skip
                return False
            ahead = tree.under(one, "xcomp") + tree.under(verb, "xcomp")
            return not any(tree[each].tag == "VB" and tree[each].low not in _TO_TALK | {"be", "have", "help"}
                           for each in ahead)  # fmt: skip
    return False


def _only_possible(tree: Tree, verb: int) -> bool:
    """True for what could be; `can` tells what somebody is able to, `'d love` a wish, `may have found` a doubt."""
    for one in tree.under(verb, "aux"):
        if tree[one].low in _POSSIBLE and tree[one].tag == "MD":
            if tree[one].low in ("could", "'d") and _was_so(tree, verb):
                return False
            if tree[one].low in ("may", "might"):
                return not any(tree[each].low == "have" for each in tree.under(verb, "aux"))
            return tree[one].low not in ("'d", "would", "d") or verbs.lemma(tree[verb].low) not in ("love", "like")
    return False


def _was_so(tree: Tree, verb: int) -> bool:
    """True for `I couldn't row for weeks`, `I'd never rowed` and `I'd row for hours`: they tell what was."""
    if any(tree[one].low == "could" for one in tree.under(verb, "aux")):
        return bool(tree.under(verb, "neg")) and not any(tree[one].low == "have" for one in tree.under(verb, "aux"))
    return tree[verb].tag in ("VBN", "VBD") or any(tree[one].low in _FOR_LONG for one in tree.whole(verb))


def _of_people(tree: Tree, clause: Clause, low: Sequence[str]) -> bool:
    if not _COMPARED.isdisjoint(low):
        return True
    helpers = tree.under(clause.verb, "aux")
    if not helpers and tree[clause.verb].tag == "VBP" and _of_all(tree, clause):
        return True
    if any(tree[one].tag in ("VBP", "VBD") for one in helpers) or tree[clause.verb].tag == "VBD":
        return "should" in low[:4] or "need" in low[:4]
    return not _OF_ALL.isdisjoint(low[:4])


def _of_all(tree: Tree, clause: Clause) -> bool:
    """True for `we all have our ways`."""
    return any(tree[one].low == "all" for one in range(clause.subject or 0, clause.verb))


def _only_announces(tree: Tree, verb: int) -> bool:
    """True for `I got great news to share`, which does not say what the news is."""
    for one in tree.under(verb, "dobj"):
        if tree[one].low in _NEWS:
            told = [each for each in tree.under(one, "prep", "relcl", "appos", "ccomp") if tree[each].tag != "VB"]
            about = any(tree[each].low == "about" for each in tree.under(verb, "prep"))
            return not (told or about or tree.under(verb, "ccomp"))
    return False


def _of_everybody(low: Sequence[str]) -> bool:
    """True where *us* are people in general: who speaks of themselves alone says *me* or *my*, too."""
    return "can" in low and OWN.isdisjoint(low)
