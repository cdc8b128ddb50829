"""Clauses of a parsed sentence: each with its verb, its subject, and what stands for itself beside it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from slowwave.rules.grammar.tree import SPEAKER, Tree
from slowwave.rules.statements.words import FIRST, OF_FIRST, SECOND, UNRESOLVED

SUBJECTS = frozenset(("nsubj", "nsubjpass", "csubj", "csubjpass", "expl"))
AUXILIARIES = ("aux", "auxpass")
_VERBS = frozenset(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD"))
_THINGS = frozenset(("NN", "NNS", "NNP", "VBG"))
_SOMEBODY = FIRST | OF_FIRST | SECOND | UNRESOLVED
_TENSED = frozenset(("VBD", "VBP", "VBZ", "MD"))


@dataclass(frozen=True, slots=True)
class Clause:
    """The places of a verb, of its subject (None: left out), and of further verbs *joined* to it under that subject.

    *apart* are the verbs of the other clauses of the sentence, but for that which it is *about*.
    """

    verb: int
    subject: int | None
    joined: tuple[int, ...] = ()
    apart: frozenset[int] = frozenset()
    about: int | None = None


def clauses(tree: Tree) -> list[Clause]:
    """Return the clauses of a sentence that stand for themselves, in the order of their verbs."""
    heads = [head for root in tree.roots for head in _heads(tree, root)]
    apart = frozenset(verb for verb, _ in heads)
    return sorted(
        (Clause(verb, subject_of(tree, verb), joined, apart - {verb}) for verb, joined in heads),
        key=lambda clause: clause.verb,
    )


def led(tree: Tree, found: list[Clause]) -> list[Clause]:
    """Return clauses with what one is `about` made part of it: `the roof leaks, but I'm mending it`."""
    out = list[Clause]()
    for one in found:
        last = out[-1] if out else None
        if last is not None and _leads(tree, last, one):
            out[-1] = replace(one, apart=one.apart - {last.verb}, about=last.verb)
        else:
            out.append(one)
    return out


def _leads(tree: Tree, about: Clause, one: Clause) -> bool:
    verb = tree[one.verb]
    if (verb.head, verb.dep) != (about.verb, "conj") or about.subject is None or one.subject is None:
        return False
    if tree[one.subject].low not in SPEAKER or tree[about.subject].tag not in _THINGS or about.subject > about.verb:
        return False
    contrast = any(tree[each].low in ("but", "so") for each in tree.under(about.verb, "cc"))
    return contrast and all(tree[each].low not in _SOMEBODY for each in tree.whole(about.verb, about.apart))


def of_verb(tree: Tree, verb: int) -> Clause:
    """Return the clause of one verb, with all that is below it."""
    return Clause(verb, subject_of(tree, verb))


def subject_of(tree: Tree, verb: int) -> int | None:
    """Return the place of a verb's subject, or None."""
    return next((one for one in tree.below[verb] if tree[one].dep in SUBJECTS), None)


def tensed(tree: Tree, verb: int) -> bool:
    """Return whether a verb, or an auxiliary of it, has a tense."""
    return any(tree[one].tag in _TENSED for one in (verb, *tree.under(verb, *AUXILIARIES)))


def _heads(tree: Tree, head: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The verb at *head* with those joined to it, then the verbs of clauses that stand beside."""
    joined, beside = list[int](), list[int]()
    for verb in (waiting := [head]):
        for child in tree.below[verb]:
            if tree[child].dep == "conj" and tree[child].tag in _VERBS:
                (joined if subject_of(tree, child) is None else beside).append(child)
                waiting += [child] if child in joined else []
            elif tree[child].dep == "parataxis" or _spliced(tree, verb, child):
                beside.append(child)
    yield head, tuple(sorted(joined))
    for child in beside:
        yield from _heads(tree, child)


def _spliced(tree: Tree, verb: int, child: int) -> bool:
    """True for a sentence that a comma alone parts from the next: `I had a picnic, it was great`."""
    token, subject = tree[child], subject_of(tree, verb)
    if token.dep not in ("ccomp", "advcl") or subject is None or child > subject:
        return False
    if tree.under(child, "mark") or any(tree[one].tag == "WRB" for one in tree.under(child, "advmod")):
        return False
    return subject_of(tree, child) is not None or (token.tag == "VBD" and token.dep == "advcl")
