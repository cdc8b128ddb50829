"""A turn in a language that no pack reads: a worker counts it, the operator is told, and recall finds it."""

import subprocess
import sys
import uuid
from dataclasses import replace
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.memory import Memory
from slowwave.settings import Settings
from tests.integration.command import Run
from tests.integration.workers.test_work import environment

SPANISH = "Mi hermana trabaja en un hospital cerca de Sevilla."
GERMAN = "Seit dem Frühling wohne ich mit meinem Bruder in Leipzig."
TOLD = [SPANISH, "I moved to Oslo last week.", GERMAN, "Vivo en un pueblo pequeño cerca de Sevilla.", "Sí, claro."]


def tell(parts: wiring.Parts, url: str) -> None:
    """Push all of it, and let a worker of its own process read it."""
    scope = Memory(parts).scope("alice", agent="concierge")
    for text in TOLD:
        scope.push(text, session="s1")
    scope.push("Ich empfehle dir das kleine Museum am Hafen.", session="s1", role="assistant")
    scope.end_session("s1")
    command = [sys.executable, "-m", "slowwave.cli", "work", "--until-idle"]
    subprocess.run(command, env=environment(url), capture_output=True, check=True)


@pytest.mark.accept
def test_a_worker_counts_unread_turns_and_commands_report_them(parts: wiring.Parts, url: str, run: Run) -> None:
    tell(parts, url)

    (read,) = (one for one in run("runs", "--json").json if one["pack"] == "everyday")
    assert read["counts"] == {"episodes": 6, "add": 1, "noop": 1, "unread_de": 1, "unread_es": 2}
    shown = run("runs").out
    assert "(Spanish)" in shown
    assert "(German)" in shown
    told = "within a day 2 turns in Spanish, 1 turn in German, which no pack reads; recall finds them"
    assert f"languages    {told}\n" in run("status").out
    assert run("status", "--json").json["unread"] == {"es": 2, "de": 1}


@pytest.mark.accept
def test_recall_finds_an_unread_turn_and_why_says_that_it_was_not_read(parts: wiring.Parts, url: str, run: Run) -> None:
    tell(parts, url)

    best, *_ = Memory(parts).scope("alice", agent="concierge").recall("hospital Sevilla")
    assert (best.text, best.kind) == (SPANISH, "episode")
    assert f"episode {str(best.id)[:8]}; " in run("recall", "hospital Sevilla", "--user", "alice").out
    said = run("why", str(best.id)[:8])
    assert said.out == (
        f"{SPANISH}  (episode; {best.id})\n"
        "    Spanish, which no active pack reads: no facts are learned from it, but recall finds it\n"
    )
    assert run("why", str(best.id), "--json").json["unread_language"] == "es"

    english, *_ = Memory(parts).scope("alice", agent="concierge").recall("moved to Oslo", kinds=["episode"])
    assert "an episode is not a fact: `slowwave facts` lists the facts" in run("why", str(english.id)).out
    assert run("why", str(uuid.UUID(int=0))).status != 0, "nobody has that one"


def test_a_pack_for_all_languages_leaves_nothing_unread(settings: Settings, tmp_path: Path) -> None:
    shipped = wiring.load_packs(settings)
    parts = wiring.connect(settings)
    vars(parts).update(packs=[*shipped, replace(shipped[0], pack="polyglot", languages=())])
    try:
        assert parts.unread.language(SPANISH) is None
        vars(parts).update(packs=shipped)
        assert parts.unread.language(SPANISH) == "es"
    finally:
        parts.close()


@pytest.mark.parametrize(
    ("there", "said"),
    [
        (True, "py3langid 0.4.0: turns in a language that no pack reads are counted"),
        (False, 'not installed, so turns in unread languages are not counted; pip install "slowwave[languages]"'),
    ],
)
def test_doctor_says_whether_language_detection_is_available(
    parts: wiring.Parts, run: Run, monkeypatch: pytest.MonkeyPatch, there: bool, said: str
) -> None:
    if not there:
        monkeypatch.setitem(sys.modules, "py3langid", None)
    assert f"ok languages {said} " in " ".join(run("doctor").out.split())
