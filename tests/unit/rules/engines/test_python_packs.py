"""Python packs run in a separate process; their errors are reported as the pack's and harm nothing else."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from slowwave.cli import cli
from slowwave.domain.claim import Claim
from slowwave.errors import Fault
from slowwave.rules import Pack, load_pack
from slowwave.rules.hot_reload import ReloadedRules
from tests.unit.rules.rulepacks import episode, problems, written
from tests.unit.tables import table

ROWS = table(__file__)


HEAD = "from slowwave.domain.claim import claimed\n"
ECHO = (
    HEAD
    + "def claims(episodes):\n    return [claimed(one, one.content, 'lives_in', one.content) for one in episodes]\n"
)
SAID = {"it": "echoes", "episodes": ["Oslo"], "believe": ["user lives_in Oslo"]}
WINDOW = [episode("Oslo", number=1), episode("Rome", number=2)]


def folder_of(folder: Path, source: str, **changes: object) -> Path:
    home = written(
        folder, {"pack": "odd", "version": 1, "engine": "python", "cadence": {"every": 9}, **changes}, [SAID]
    )
    (home / "reader.py").write_text(source)
    return home


def packed(folder: Path, body: str, **changes: object) -> Pack:
    """A pack that echoes its case and otherwise runs *body*."""
    source = HEAD + "def claims(episodes):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    return load_pack(folder_of(folder, source, **changes))


def fault(pack: Pack) -> str:
    with pytest.raises(Fault) as caught:
        pack.propose(WINDOW)
    return caught.value.message


def test_a_python_pack_passes_its_cases_and_its_claims_cite_their_words(tmp_path: Path) -> None:
    pack = load_pack(folder_of(tmp_path, ECHO))
    first, second = pack.propose(WINDOW[::-1])

    assert pack.failures() == []
    assert (first.object, second.object) == ("Oslo", "Rome")
    assert (first.source.episode, first.source.start, first.source.end) == (WINDOW[0].id, 0, 4)
    assert (first.rule, first.single_valued, first.ordinal) == ("odd/reader@1", True, 0)


def test_a_python_pack_reads_the_whole_window(tmp_path: Path) -> None:
    body = "return [claimed(episodes[-1], episodes[-1].content, 'after', episodes[0].content)]"
    assert [claim.object for claim in packed(tmp_path, body).propose(WINDOW)] == ["Oslo"]


def test_claims_of_a_python_pack_are_numbered_in_the_order_of_their_words(tmp_path: Path) -> None:
    body = "return [claimed(one, part, 'has', part) for one in episodes[::-1] for part in {'ab', 'cd', 'ef'}]"
    found = packed(tmp_path, body).propose([episode("cd ab ef", number=1), episode("ef cd ab", number=2)])

    assert [(claim.source.position, claim.object, claim.ordinal) for claim in found] == [
        (1, "cd", 0), (1, "ab", 1), (1, "ef", 2), (2, "ef", 0), (2, "cd", 1), (2, "ab", 2),
    ]  # fmt: skip


def test_a_python_pack_keeps_no_state_between_windows(tmp_path: Path) -> None:
    body = "seen.append(1)\n    return [claimed(episodes[0], 'Oslo', 'n', str(len(seen)))]\n"
    source = f"{HEAD}seen = []\ndef claims(episodes):\n    {body}"
    pack = load_pack(folder_of(tmp_path, source))
    assert [pack.propose(WINDOW)[0].object for _ in range(2)] == ["1", "1"]


@pytest.mark.parametrize(("line", "problem"), ROWS["breaches"])
def test_a_breach_of_the_import_contract_is_a_problem_with_its_line(tmp_path: Path, line: str, problem: str) -> None:
    said = problems(folder_of(tmp_path, line + "\ndef claims(episodes):\n    return []\n"))
    assert [one[: len(problem)] for one in said] == [problem]


def test_all_breaches_of_the_contract_are_reported_at_once(tmp_path: Path) -> None:
    said = problems(folder_of(tmp_path, "import os\ndef claim(episodes):\n    import socket\n"))
    assert len(said) == 3
    assert said[-1] == "reader.py: expected a function claims(episodes)"


def test_a_hidden_import_is_refused_when_it_runs(tmp_path: Path) -> None:
    body = "import_ = (lambda: 0).__builtins__['__import__']\nimport_('os')\nreturn []"
    assert fault(packed(tmp_path, body)) == "the pack failed with ImportError at reader.py:4"


def test_a_missing_module_is_a_problem(tmp_path: Path) -> None:
    home = folder_of(tmp_path, ECHO)
    (home / "reader.py").unlink()
    assert problems(home) == ["reader.py: is missing"]


@pytest.mark.accept
@pytest.mark.parametrize(("body", "said"), ROWS["failures"])
def test_a_failing_pack_raises_a_fault_and_reads_the_next_window(tmp_path: Path, body: str, said: str) -> None:
    pack = packed(tmp_path, "if len(episodes) == 1: return []\n" + body, seconds=1)

    assert fault(pack).startswith(said.replace("reader.py:3", "reader.py:4"))
    assert pack.propose(WINDOW[:1]) == []  # the next window is read normally


def test_a_pack_that_fails_its_cases_is_not_sound_and_check_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = packed(tmp_path, "raise KeyError")
    monkeypatch.setenv("SLOWWAVE_RULES", str(tmp_path))
    said = CliRunner().invoke(cli, ["rules", "check", "odd"])

    assert not pack.sound()
    assert (said.exit_code, said.stderr) == (1, "odd 1: the pack failed with KeyError at reader.py:3\n")


def test_a_python_pack_sees_no_settings_and_its_output_is_discarded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOWWAVE_URL", "postgresql://somebody:secret@nowhere/none")
    body = "import enum\nprint('claims')\n"
    body += "return [claimed(episodes[0], 'Oslo', 'n', str('SLOWWAVE_URL' in enum.sys.modules['os'].environ))]"
    assert [claim.object for claim in packed(tmp_path, body).propose(WINDOW)] == ["False"]


def test_a_forked_worker_starts_a_process_of_its_own(tmp_path: Path) -> None:
    pack = load_pack(folder_of(tmp_path, ECHO))
    before = pack.propose(WINDOW)
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(tell, b"same" if pack.propose(WINDOW) == before else b"other")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(told, 10) == b"same"
    os.close(told)
    os.close(tell)
    assert pack.propose(WINDOW) == before  # and the first one's was left to it


def test_an_edited_module_is_read_again(tmp_path: Path) -> None:
    folder_of(tmp_path, ECHO)
    rules = ReloadedRules(tmp_path)
    rules.look()
    first = rules.packs["odd"]
    folder_of(tmp_path, ECHO.replace("one.content) for", "one.content.upper()) for"))
    assert rules.look()

    assert rules.packs["odd"].digest != first.digest
    assert objects(rules.packs["odd"].propose(WINDOW)) == ["OSLO", "ROME"]

    folder_of(tmp_path, "import os\n" + ECHO)
    rules.look()
    assert "imports os" in rules.problems["odd"]
    assert objects(rules.packs["odd"].propose(WINDOW)) == ["OSLO", "ROME"]


def objects(claims: list[Claim]) -> list[str]:
    return [claim.object for claim in claims]
