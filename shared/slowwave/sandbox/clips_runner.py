"""The kind of work `clips`: a CLIPS program runs on the episodes of a window, which the program gets as facts."""

import importlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from slowwave.domain.claim import Claim, claimed
from slowwave.domain.episode import StoredEpisode
from slowwave.errors import Incorrect
from slowwave.runtime.extras import needed
from slowwave.sandbox.clips_parser import BEFORE, EPISODE, parsed
from slowwave.sandbox.process import Window

MOST_FIRINGS = 100_000
"""The maximum number of firings of rules in one window."""

_TURN = (
    "(slot position (type INTEGER)) (slot key (type STRING)) (slot session (type STRING))"
    " (slot role (type SYMBOL)) (slot kind (type SYMBOL)) (slot speaker (type STRING))"
    " (slot occurred (type INTEGER)) (slot content (type STRING)) (multislot words (type STRING))"
)
TEMPLATES = (
    f"(deftemplate {EPISODE} {_TURN})",
    f"(deftemplate {BEFORE} {_TURN})",
    "(deftemplate metadata (slot position (type INTEGER)) (slot name (type STRING)) (slot value))",
    "(deftemplate claim (slot position (type INTEGER)) (multislot cites)"
    " (slot beside (type INTEGER SYMBOL) (default nil)) (slot subject (type STRING SYMBOL))"
    " (slot predicate (type STRING SYMBOL)) (slot object (type STRING SYMBOL NUMBER))"
    " (slot mode (type SYMBOL) (allowed-symbols assert correct end forget))"
    " (slot certainty (type SYMBOL) (allowed-symbols explicit implied inferred uncertain))"
    " (slot rule (type STRING SYMBOL)))",
)
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")


def opened(given: Mapping[str, str]) -> Callable[[Window], Iterable[Claim]]:
    """Return a function that runs the CLIPS program in *given* (`name` and `source`).

    Raises `Incorrect` for an invalid program.
    """
    clips = _clips()
    program, problems = parsed(given["name"], given["source"])
    environment = clips.Environment()
    for template in TEMPLATES:
        environment.build(template)
    for construct, line in program.constructs:
        try:
            environment.build(construct)
        except clips.CLIPSError as error:
            problems.append(f"{given['name']}, line {line}: CLIPS says {_message(error)}")
    if problems:
        raise Incorrect(given["name"], problems=problems)
    complaints = _collect_errors(environment)
    _forbid_new_files()

    def read(window: Window) -> Iterable[Claim]:
        complaints.clear()
        environment.reset()
        for turn in window.before:
            _assert_facts(environment, BEFORE, turn)
        for episode in window.episodes:
            _assert_facts(environment, EPISODE, episode)
        if environment.run(MOST_FIRINGS) >= MOST_FIRINGS:
            raise RuntimeError("the rules fire on and on")
        if complaints:
            raise ArithmeticError("a rule met an error and stopped in the middle")
        return list(_claims(environment, window))

    return read


def _clips() -> Any:
    """Return the package clipspy, which has no types; only this process imports it."""
    with needed():
        return importlib.import_module("clips")


def _collect_errors(environment: Any) -> list[str]:
    """Return a list that receives all later errors of CLIPS.

    Otherwise, CLIPS would only stop the rule that has the error, and would report nothing.
    """
    clips = _clips()
    complaints: list[str] = []

    class Router(clips.Router):  # type: ignore[misc, name-defined]  # the package has no types
        def query(self, name: str) -> bool:
            return name == "stderr"

        def write(self, _name: str, message: str) -> None:
            complaints.append(message)

    environment.add_router(Router("slowwave", 50))
    return complaints


def _assert_facts(environment: Any, template: str, episode: StoredEpisode) -> None:
    clips = _clips()
    environment.find_template(template).assert_fact(
        position=episode.position,
        key=episode.key,
        session=episode.session,
        role=clips.Symbol(episode.role),
        kind=clips.Symbol(episode.kind),
        speaker=episode.speaker or "",
        occurred=int(episode.occurred.timestamp()),
        content=_plain(episode.content),
        words=_WORD.findall(_plain(episode.content)),
    )
    for name, value in sorted(episode.metadata.items()):
        if isinstance(value, str | bool | int | float):
            stored = clips.Symbol(str(value).upper()) if isinstance(value, bool) else value
            stored = _plain(value) if isinstance(value, str) else stored
            environment.find_template("metadata").assert_fact(
                position=episode.position, name=_plain(name), value=stored
            )


def _claims(environment: Any, window: Window) -> Iterator[Claim]:
    episodes = {episode.position: episode for episode in window.episodes}
    turns = {turn.position: turn for turn in window.before} | episodes
    for fact in environment.facts():
        if fact.template.name == "claim":
            slots = dict(fact)
            episode = episodes[slots["position"]]
            yield claimed(
                episode,
                _quoted_part(episode.content, [str(word) for word in slots["cites"]]),
                _named(slots["predicate"]) or "",
                _named(slots["object"]) or "",
                subject=_named(slots["subject"]),
                mode=str(slots["mode"]),  # type: ignore[arg-type]  # the template allows only these
                certainty=str(slots["certainty"]),  # type: ignore[arg-type]  # the template, too
                rule=_named(slots["rule"]) or "",
                beside=turns[int(slots["beside"])] if _named(slots["beside"]) else None,
            )


def _quoted_part(content: str, words: Sequence[str]) -> str:
    """Return the part of *content* in which *words* follow one another; without *words*, return all of *content*."""
    if not words:
        return content
    between = r"[\W_]+".join(re.escape(word) for word in words)
    found = re.search(rf"(?<!\w){between}(?!\w)", content, re.IGNORECASE)
    if found is None:
        raise ValueError("a claim cites words that are not in its episode")
    return found[0]


def _named(value: object) -> str | None:
    """Return a slot's text; None if the slot is empty, or contains the CLIPS symbol nil."""
    is_given = value != "" and not (isinstance(value, _clips().Symbol) and value == "nil")
    return str(value) if is_given else None


def _plain(text: str) -> str:
    """Return *text* without characters that CLIPS cannot store: NUL and lone surrogates."""
    return re.sub("[\0\ud800-\udfff]", "\ufffd", text)


def _message(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def _forbid_new_files() -> None:
    """Prevent this process from opening files, pipes and connections from now on."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
