"""The pack that a command names, and checks of packs with the configured model and against stored facts."""

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from slowwave.errors import Incorrect, NotFound, Unavailable, Unprepared
from slowwave.ports.model_calls import Provider
from slowwave.rules import Pack, load_pack
from slowwave.rules.folders import (
    find_folders_in_force,
    find_folders_to_add,
    find_reader_folders,
    needs_model,
    searched_folders,
)
from slowwave.rules.lifecycle import choose_lifecycle
from slowwave.rules.model_packs.loading import load_reader
from slowwave.rules.model_packs.pack import ReaderPack
from slowwave.rules.predicates import PREDICATES, Declared, load_predicates
from slowwave.wiring import Parts, Settings, connect, join_embedded
from slowwave.wiring.model_client import model_of, provider_of
from slowwave.wiring.packs import changed_versions, places_of_packs, protocol_name, refused_changes

AnyPack = Pack | ReaderPack


def installed(rules: Path | None) -> dict[str, Path]:
    """Return the folders of all installed packs, by name."""
    return {**find_folders_in_force(rules), **find_reader_folders([rules] if rules else [])}


def folder_of(pack: str, known: dict[str, Path], rules: Path | None) -> Path:
    """Return the folder of *pack*: a path, or the name of a *known* or an optional pack. Raises `NotFound`.

    *rules* is the folder of the operator's own packs. The error names it among the folders that were searched.
    """
    known = {**find_folders_to_add(), **known}
    if pack in known:
        return known[pack]
    if Path(pack).is_dir():
        return Path(pack).resolve()
    searched = ", ".join(str(folder) for folder in searched_folders(rules))
    hint = f"packs here: {', '.join(sorted(known)) or 'none'}; the command looked in {searched}"
    if rules is None:
        hint += "; SLOWWAVE_RULES adds a folder of your own packs"
    raise NotFound(f"there is no rule pack {pack!r}", hint=hint)


def loaded(folder: Path, shared: list[Declared]) -> AnyPack:
    """Return the pack in *folder*. Raises `Incorrect` with all problems of the pack."""
    return load_reader(folder, shared=shared) if needs_model(folder) else load_pack(folder, shared=shared)


def named(pack: str, rules: Path | None) -> AnyPack:
    """Return the named pack, ready for a trial. Raises `NotFound` and `Incorrect`."""
    return loaded(folder_of(pack, installed(rules), rules), load_predicates(rules))


def for_model(pack: AnyPack, parts: Parts) -> AnyPack:
    """Return *pack* with the name of the configured model. A request to a model has a key, and this name is part of the
    key.
    """
    name = model_of(parts.settings, parts.lifecycle.extraction_model)
    return replace(pack, model=protocol_name(name)) if name and isinstance(pack, ReaderPack) else pack


@dataclass(frozen=True, slots=True)
class Replied:
    """A model's replies to the requests of a pack's cases, by case, and the tokens used."""

    replies: Mapping[str, Sequence[str]]
    prompt_tokens: int
    reply_tokens: int


def require_provider(settings: Settings) -> Provider:
    """Return the provider of the model that packs read with. Raises `Incorrect` if there is none."""
    provider = provider_of(settings, choose_lifecycle(settings.preset, settings.rules).extraction_model)
    if provider is None:
        hint = "set SLOWWAVE_MODEL, and SLOWWAVE_MODEL_URL and SLOWWAVE_MODEL_KEY as its provider needs them"
        raise Incorrect("no model is configured", hint=hint)
    return provider


def replied(pack: ReaderPack, provider: Provider, settings: Settings) -> Replied:
    """Return the replies of *provider* to the cases of *pack*, each request sent once. Raises `Unavailable`."""
    replies: dict[str, list[str]] = {}
    prompt = reply = 0
    for case in pack.cases:
        for chunk in pack.plan(case.stored, [], [], []):
            words = chunk.words
            answer = provider.ask(
                words.messages,
                words.schema,
                most_tokens=chunk.most_tokens,
                timeout_seconds=settings.model_timeout_seconds,
            )
            replies.setdefault(case.it, []).append(answer.text)
            prompt += answer.prompt_tokens or chunk.prompt_tokens
            reply += answer.reply_tokens or len(answer.text) // 4 + 1
        replies.setdefault(case.it, [])
    return Replied(replies, prompt, reply)


def changed_here(settings: Settings, packs: Iterable[AnyPack]) -> list[Incorrect]:
    """Return a warning for each of *packs* that changed since its registration while its version stayed; empty if the
    database is away or not ready.
    """
    with contextlib.suppress(Unavailable, Unprepared):
        if parts := _running(settings):
            with contextlib.closing(parts):
                return [*changed_versions(parts.database, [one for one in packs if isinstance(one, Pack)]).values()]
    return []


def _running(settings: Settings) -> Parts | None:
    return connect(settings) if not settings.embedded else join_embedded(settings)


def refused_here(settings: Settings, packs: Mapping[str, AnyPack]) -> dict[str, Incorrect]:
    """Return the error of each of *packs* that conflicts with stored facts; empty if no database runs."""
    parts = _running(settings)
    if parts is None:
        return {}
    with contextlib.closing(parts):
        found = refused_changes(parts.database, places_of_packs(packs.values()))
    if PREDICATES in found:
        raise found[PREDICATES]
    return found
