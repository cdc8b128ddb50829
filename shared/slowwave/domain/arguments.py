"""Types for the arguments of public verbs, and the check by these types.

A verb declares its arguments with these types. `@checked` checks the arguments before the verb runs: it raises
`Incorrect` with the name and the expected type of each wrong argument.
"""

import functools
import inspect
import json
import operator
import types
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    Unpack,
    get_args,
    get_origin,
)

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, validate_call

from slowwave.domain.episode import problems_of, time_problems
from slowwave.domain.limits import (
    CONTENT_BYTES,
    DESCRIPTION_BYTES,
    MOST_HOURS,
    MOST_NAMES,
    MOST_RESULTS,
    MOST_SECONDS,
    NAME_CHARACTERS,
    REASON_BYTES,
    metadata_problems,
    name_problems,
    text_problems,
)
from slowwave.errors import Incorrect
from slowwave.validation_messages import kind as kind_of
from slowwave.validation_messages import nearest, of_one, sentence

T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")
Limit = Annotated[int, Field(ge=1, le=MOST_RESULTS)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Cosine = Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]
Seconds = Annotated[float, Field(gt=0, le=MOST_SECONDS, allow_inf_nan=False)]
Timeout = Annotated[float, Field(ge=0, le=MOST_SECONDS, allow_inf_nan=False)]
Latency = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Hours = Annotated[int, Field(ge=1, le=MOST_HOURS)]
Number = Annotated[int, Field(ge=-(2**31), le=2**31 - 1)]
Most = Annotated[int, Field(ge=1, le=2**63 - 1)]


def checked(verb: Callable[P, R]) -> Callable[P, R]:
    """Return *verb* with a strict check of its arguments by their annotations. No value is converted to another type.

    The check leaves out the fields of an episode (`**fields`) and settings, which have their own checks.
    """
    signature = inspect.signature(verb)

    @functools.wraps(verb)
    def taken(*args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return args, kwargs

    taken.__annotations__ = {
        name: Any if signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD else kind
        for name, kind in verb.__annotations__.items()
        if name != "return"
    }
    names = list(signature.parameters)

    @functools.cache
    def check() -> Callable[..., tuple[tuple[Any, ...], dict[str, Any]]]:
        return validate_call(config=ConfigDict(strict=True, arbitrary_types_allowed=True))(taken)

    @functools.wraps(verb)
    def asked(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            good, named = check()(*args, **kwargs)
        except ValidationError as error:
            called = type(args[0]) if verb.__name__ == "__init__" else verb
            raise Incorrect.listing(called.__name__, _problems(error, names), hint=_hint(called, args)) from None
        return verb(*good, **named)

    asked.__signature__ = _readable_signature(signature)  # type: ignore[attr-defined]  # what `help` shows
    return asked


def checked_type(kind: type[T]) -> type[T]:
    """Return the dataclass *kind* with the check of `checked` on its constructor."""
    kind.__init__ = checked(kind.__init__)  # type: ignore[method-assign]  # it takes the same arguments
    return kind


class CheckedModel(BaseModel):
    """A model that a caller builds. Its constructor raises one `Incorrect` with every problem."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    called: ClassVar[str]
    hint: ClassVar[str]

    if not TYPE_CHECKING:  # type checkers read the fields

        def __init__(self, /, *args: Any, **fields: Any) -> None:
            problems = ["is one argument too many: pass the fields by name"] if args else []
            try:
                super().__init__(**fields)
            except ValidationError as error:
                problems += problems_of(error, list(type(self).model_fields))
            if problems:
                raise Incorrect.listing(self.called, problems, hint=self.hint)


def _readable_signature(signature: inspect.Signature) -> inspect.Signature:
    """Return *signature* with plain types, as a caller writes them, without validators."""
    return signature.replace(
        parameters=[one.replace(annotation=_plain(one.annotation)) for one in signature.parameters.values()]
    )


def _plain(kind: Any) -> Any:
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        shown = [one.kind for one in parts if isinstance(one, Shown)]
        return shown[0] if shown else _plain(parts[0])
    if origin in (Union, types.UnionType):
        return functools.reduce(operator.or_, dict.fromkeys(_plain(part) for part in parts))
    if origin in (None, Literal, Unpack):
        return kind
    return origin[tuple(_plain(part) for part in parts)]


@dataclass(frozen=True, slots=True)
class Shown:
    """A marker in an annotation: the type that `help` shows to a caller in place of the annotated type."""

    kind: Any


def _problems(error: ValidationError, names: Sequence[str]) -> list[str]:
    """Return one problem per wrong argument. An argument with several allowed types also gives only one problem."""
    lines: dict[str, dict[str, None]] = {}
    for problem in error.errors(include_url=False):
        place = problem["loc"][0]
        name = names[place] if isinstance(place, int) and place < len(names) else str(place)
        meant = nearest(name, names) if problem["type"] == "unexpected_keyword_argument" else ""
        for line in sentence(problem).splitlines():
            lines.setdefault(name, {})[f"{line}{meant}"] = None
    return [f"{name}: {line}" for name, found in lines.items() for line in of_one(list(found))]


def _hint(called: Callable[..., Any], args: Sequence[Any]) -> str:
    """Return a hint: which call of `help` describes the verb."""
    owner = next((one if isinstance(one, type) else type(one) for one in args[:1]), None)
    if owner is None or owner is called or not hasattr(owner, called.__name__):
        return f'help("{called.__module__}.{called.__qualname__}") describes its arguments'
    return f'help("{owner.__module__}.{owner.__qualname__}.{called.__name__}") describes its arguments'


def id_of(text: uuid.UUID | str) -> uuid.UUID | None:
    """Return *text* as an id; None if *text* is a name."""
    try:
        return uuid.UUID(str(text))
    except ValueError:
        return None


def _all(check: Callable[[Any], Sequence[str]]) -> AfterValidator:
    def refused(value: Any) -> Any:
        if problems := check(value):
            raise ValueError("\n".join(problems))
        return value

    return AfterValidator(refused)


def _words(most_bytes: int, *, empty: bool = False) -> AfterValidator:
    def problems(text: str) -> list[str]:
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > most_bytes:
            return [f"has {size} bytes, at most {most_bytes} are allowed"]
        found = text_problems(text)
        if not text.strip() and not empty:
            found.append("is empty")
        return found

    return _all(problems)


def _json(value: Any) -> list[str]:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        return [f"is not JSON ({error})"]
    size = len(text.encode("utf-8", "surrogatepass"))
    return [f"has {size} bytes, at most {CONTENT_BYTES} are allowed"] if size > CONTENT_BYTES else text_problems(text)


def _listed(value: Any) -> Any:
    if isinstance(value, str | bytes):
        raise ValueError("expected a list, got a single text")
    return value


def _time(value: Any) -> Any:
    """Return an ISO text as its time, as `push` reads `occurred_at`."""
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        return value  # and its type is refused


Name = Annotated[str, _all(name_problems)]
Question = Annotated[str, _words(CONTENT_BYTES)]
Description = Annotated[str, _words(DESCRIPTION_BYTES)]
Note = Annotated[str, _words(DESCRIPTION_BYTES, empty=True)]
Reason = Annotated[str, _words(REASON_BYTES)]
Result = Annotated[str, _words(REASON_BYTES, empty=True)]
Id = uuid.UUID | Annotated[str, _words(NAME_CHARACTERS)]
Instant = Annotated[datetime, BeforeValidator(_time), _all(lambda at: list(time_problems(at)))]
Names = Annotated[Sequence[Name], BeforeValidator(_listed), Field(max_length=MOST_NAMES)]
Json = Annotated[Any, _all(_json)]
Metadata = Annotated[dict[str, Any], _all(lambda value: list(metadata_problems(value)))]


if TYPE_CHECKING:
    Instance = Annotated[T, "as another verb returned it"]
else:

    class Instance:
        """The type of an argument that must be an instance of a class. The contents of the instance are not checked."""

        def __class_getitem__(cls, kind: type) -> Any:
            """Return the type of an argument that must be an instance of *kind*."""

            def refused(value: Any) -> Any:
                if not isinstance(value, kind):
                    raise ValueError(f"expected a {kind.__name__}, got {kind_of(value)}")
                return value

            return Annotated[Any, AfterValidator(refused), Shown(kind)]
