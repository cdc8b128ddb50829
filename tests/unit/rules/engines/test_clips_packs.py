"""CLIPS packs assert claims, without access to a shell or files, and within limits."""

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from slowwave.domain.claim import Claim
from slowwave.errors import Fault, Incorrect
from slowwave.rules import Pack, load_pack
from slowwave.sandbox.clips_parser import parsed
from slowwave.sandbox.clips_runner import opened
from tests.unit.bare import refused, run
from tests.unit.rules.rulepacks import episode, problems, written
from tests.unit.tables import over

MOVED = """
; whoever "moves lives there
(defrule moved
  (episode (position ?p) (role user) (words $? "moved" "to" ?city $?))
  =>
  (assert (claim (position ?p) (cites moved to ?city) (predicate lives_in) (object ?city) (rule moved))))
"""
SAID = {"it": "moves", "episodes": ["I moved to Oslo."], "believe": ["user lives_in Oslo"]}
WINDOW = [episode("I moved  to Oslo, at last", number=1), episode("And Ann moved to Rome", number=2)]


def folder_of(folder: Path, program: str, *, case: Mapping[str, Any] = SAID, **changes: object) -> Path:
    home = written(folder, {"pack": "odd", "version": 1, "engine": "clips", "cadence": {"every": 9}, **changes}, [case])
    (home / "rules.clp").write_text(program)
    return home


def packed(folder: Path, program: str, *, case: Mapping[str, Any] = SAID, **changes: object) -> Pack:
    return load_pack(folder_of(folder, program, case=case, **changes))


def rule(action: str, *, when: str = "(episode (position ?p) (content ?c))") -> str:
    return f"(defrule odd {when} => {action} (assert (claim (position 1) (predicate p) (object done))))"


def claim(cites: str, object: str) -> str:
    return f"(assert (claim (position ?p) {cites} (predicate has) (object {object})))"


def said_of(program: str) -> list[str]:
    return parsed("rules.clp", program)[1]


def told(claims: list[Claim]) -> list[tuple[int, str, str, int, int]]:
    return [(c.source.position, c.predicate, c.object, c.source.start, c.source.end) for c in claims]


def test_a_clips_pack_passes_its_cases_and_its_claims_cite_their_words_in_order(tmp_path: Path) -> None:
    pack = packed(tmp_path, MOVED)

    assert pack.failures() == []
    assert told(pack.propose(WINDOW)) == [(1, "lives_in", "Oslo", 2, 16), (2, "lives_in", "Rome", 8, 21)]
    assert pack.propose(WINDOW) == pack.propose(WINDOW[::-1])
    assert {claim.rule for claim in pack.propose(WINDOW)} == {"odd/moved@1"}


def test_a_clips_pack_reads_the_window_with_its_own_templates_and_functions(tmp_path: Path) -> None:
    program = """
    (deftemplate name (slot of) (slot at))
    (deffunction next-to (?a ?b) (= (+ ?a 1) ?b))
    (deffacts none (name (of "nobody") (at 0)))
    (defrule asked (episode (position ?p) (role assistant) (content ?c&:(str-index "your name" ?c)))
      => (assert (name (of "asked") (at ?p))))
    (defrule told (name (of "asked") (at ?q)) (episode (position ?p&:(next-to ?q ?p)) (words ?name))
      => (assert (claim (position ?p) (cites ?name) (predicate name) (object ?name))))
    """
    window = [episode("What's your name?", number=1, role="assistant"), episode("Anna!", number=2)]
    assert told(packed(tmp_path, program).propose(window)) == [(2, "name", "Anna", 0, 4)]


def test_a_claim_about_a_turn_before_the_window_is_a_fault(tmp_path: Path) -> None:
    program = "(defrule odd (before (position ?p)) => (assert (claim (position ?p) (predicate p) (object o))))"
    with pytest.raises(Fault, match="the pack failed with KeyError"):
        packed(tmp_path, program).propose_after(WINDOW[:1], WINDOW[1:])


def test_claims_are_in_the_order_of_words_and_not_of_rule_firing(tmp_path: Path) -> None:
    program = f"(defrule each (episode (position ?p) (words $? ?w $?)) => {claim('(cites ?w)', '?w')})"
    window = [episode("one two", number=1), episode("three four", number=2)]
    assert [claim.object for claim in packed(tmp_path, program).propose(window)] == ["one", "two", "three", "four"]


def test_any_text_is_passed_to_clips_as_data(tmp_path: Path) -> None:
    program = f"(defrule all (episode (position ?p) (content ?c)) => {claim('', '?c')})"
    text = 'x") (system "touch /tmp/x") ; \\ \n (assert (claim)) ü 漢 \x00'
    [found] = packed(tmp_path, program).propose([episode(text)])
    assert found.object == text.replace("\x00", "\ufffd")


@over([
        ('(defrule a => (system "id"))', "line 1: a pack may not use system; "),
        ('(defrule a => (printout t "x"))', "line 1: a pack may not use printout; "),
        ('(defrule a => (eval "(system)"))', "line 1: a pack may not use eval; "),
        ('(defrule a => (funcall system "id"))', "line 1: a pack may not use funcall; "),
        ('(defrule a => (load "x"))', "line 1: a pack may not use load; "),
        ('(defrule a => (batch* "x"))', "line 1: a pack may not use batch; "),
        ("(defrule a => (random))", "line 1: a pack may not use random; "),
        ('(defrule a (episode (content ?c&:(system "id"))) => )', "line 1: a pack may not use system; "),
        ('(deftemplate t (slot x (default-dynamic (system "id"))))', "line 1: a pack may not use default-dynamic; "),
        ('; say "\n(defrule a => (system "id"))\n; "', "line 2: a pack may not use system; "),
        ('(defrule a "; " => ( ; "\n system "id"))', "line 2: a pack may not use system; "),
        ("(defrule a => (assert (delta (kind add))))", "line 1: a pack may not use delta; "),
        ("(defrule a => (assert (seen 1)))", "line 1: a pack may not use seen; "),
        ('(system "id")', "line 1: a pack may not use system; "),
        ("(defmodule OTHER)", "line 1: a pack may not use defmodule; "),
        ("(deftemplate claim (slot x))", "line 1: claim has a meaning already; "),
        ("(deffunction assert () 1)", "line 1: assert has a meaning already; "),
        ("(defrule a =>", "line 1: a parenthesis is not closed"),
        ("(defrule a => ))", "line 1: a parenthesis closes what none opened"),
        ("defrule", "line 1: expected a construct, got defrule"),
        ('(defrule a "', "line 1: no CLIPS that a pack may use: "),
        ("(defrule a => " + "(progn " * 60 + ")" * 61, "line 1: is nested deeper than 50"),
    ])  # fmt: skip
def test_an_unlisted_construct_is_a_problem_with_its_line(program: str, problem: str) -> None:
    said = said_of(program)
    assert any(one.startswith(f"rules.clp, {problem}") for one in said), said


@pytest.mark.parametrize(
    "program",
    [
        '(deftemplate system (slot x)) (defrule a => (system "touch HOLE"))',
        '(deftemplate t (slot system)) (defrule a => (system "touch HOLE"))',
        '(deffunction system (?x) ?x) (defrule a (episode (position ?p)) => (system "touch HOLE"))',
    ],
)
def test_a_pack_cannot_call_functions_of_clips_by_redefining_names(tmp_path: Path, program: str) -> None:
    hole = tmp_path / "hole"
    with contextlib.suppress(Incorrect):
        packed(tmp_path, program.replace("HOLE", str(hole))).propose(WINDOW)
    assert not hole.exists()
    assert "( my-system" in parsed("rules.clp", program)[0].constructs[-1][0]


@pytest.mark.accept
@pytest.mark.parametrize(
    ("program", "said"),
    [
        (rule("(while TRUE do (bind ?x 1))"), "the pack took longer than 1 s of processor time"),
        (
            "(deftemplate n (slot v)) (deffacts d (n (v 0)))"
            "(defrule up ?f <- (n (v ?v)) => (modify ?f (v (+ ?v 1))))",
            "the pack failed with RuntimeError",
        ),
        ("(deffunction down (?x) (down ?x))" + rule("(down 1)"), "the pack's process ended with status"),
        (
            rule('(bind ?x "xxxxxxxx") (while TRUE do (bind ?x (str-cat ?x ?x)))'),
            "the pack's process ended with status",
        ),
        (rule("(bind ?x (/ 1 0))"), "the pack failed with ArithmeticError"),
        (rule("(assert (claim (position 9) (predicate p) (object o)))"), "the pack failed with KeyError"),
        (rule("(assert (claim (position 1) (cites never said)))"), "the pack failed with ValueError"),
        (rule("(assert (claim (position 1) (predicate p)))"), "the pack odd gives a claim that says nothing"),
    ],
)  # fmt: skip
def test_a_broken_program_is_a_fault_of_its_pack_and_is_asked_again(tmp_path: Path, program: str, said: str) -> None:
    pack = packed(tmp_path, program, seconds=1 if "processor" in said else 30, megabytes=256)

    with pytest.raises(Fault) as caught:
        pack.propose(WINDOW)
    assert caught.value.message.startswith(said)
    if "deffacts" not in program:
        assert pack.propose([]) == []


def test_a_clips_error_names_the_line_of_its_construct(tmp_path: Path) -> None:
    [problem] = problems(folder_of(tmp_path, "\n(defrule a (episode (position ?p)) => (bind ?x (str-length 3)))"))
    assert problem.startswith("rules.clp, line 2: CLIPS says [ARGACCES2]")


def test_no_listed_slot_or_form_is_a_callable_function() -> None:
    for name in ("position", "words", "mode", "claim", "slot", "declare", "name", "value", "role", "key"):
        with pytest.raises(Incorrect, match="Missing function declaration"):
            opened({"name": "rules.clp", "source": f"(defrule a => ({name} 1))"})


def test_the_clips_process_cannot_create_files(tmp_path: Path) -> None:
    hole = tmp_path / "hole"
    code = f"""
import clips
from slowwave.sandbox.clips_runner import opened
environment = clips.Environment()
opened({{"name": "rules.clp", "source": {MOVED!r}}})
environment.eval('(system "touch {hole}")')
try:
    open("/dev/null")
except OSError as error:
    print(error.strerror)
"""
    assert run(code) == "Too many open files\n"
    assert not hole.exists()


def test_a_missing_extra_says_its_name(tmp_path: Path) -> None:
    home = folder_of(tmp_path, MOVED)
    code = f"from pathlib import Path\nfrom slowwave.rules import load_pack\nload_pack(Path({str(home)!r}))"
    assert 'pip install "slowwave[clips]"' in refused(code, absent=["clips"])
