"""Remote verbs: a decorator that names an HTTP request turns a method without a body into a call of this request."""

import functools
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, ParamSpec, TypeVar, get_args, get_origin
from urllib.parse import quote

from slowwave.domain.arguments import checked
from slowwave.remote.http import HttpConnection
from slowwave.remote.responses import only, out_of_reach, paged, read

P = ParamSpec("P")
R = TypeVar("R")
BESIDE_THE_DATABASE = ("count", "explain", "tenant")
"""The arguments that work only with the database, not over HTTP."""
MOST_SECONDS = 60.0
"""The longest time that a server waits for busy workers."""


class RemoteVerbs:
    """Verbs of the memory on a server. A verb that works only with the database raises `OutOfReach`."""

    _wire: HttpConnection
    called: ClassVar[str]
    beside_the_database: ClassVar[frozenset[str]]
    """The verbs that work only with the database, not over HTTP."""

    @property
    def _owner(self) -> Mapping[str, str | None]:
        """The scope that every request names; empty for a whole tenant."""
        return {}

    def __getattr__(self, name: str) -> Any:
        """Raise `OutOfReach` for a verb that works only with the database."""
        if name in type(self).beside_the_database:
            raise out_of_reach(f"{self.called}.{name}")
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")


def sends(
    request: str, *, key: str = "", pages: str = "", again: bool = True, into: Callable[[Any], Any] | None = None,
    beside: Sequence[str] = (), always: Mapping[str, Any] | None = None, **names: str,
) -> Callable[[Callable[P, R]], Callable[P, R]]:  # fmt: skip
    """Return a decorator that makes a verb send *request*, such as `GET /v1/facts/{fact}/why`.

    An argument whose name is in the path, in braces, becomes a part of the path. Other arguments become fields, renamed
    by *names*. The result has the return type of the verb: it is the response, or the field *key* of the response, or
    the result of *into*, or None for a verb that returns None. A list is read page after page, with the argument
    *pages* as cursor. A request other than GET is repeated if *again* is True. If the verb has an argument `key`, it is
    repeated only if a `key` is given. The arguments in *beside*, and those in `BESIDE_THE_DATABASE` without a name in
    *names*, raise `OutOfReach`. *always* are fields that every request has.
    """
    method, path = request.split(" ")

    def decorate(verb: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(verb)
        kind: Any = verb.__annotations__["return"]
        out_of_reach_here = {*BESIDE_THE_DATABASE, *beside} - names.keys()
        (item, *_) = get_args(kind) if get_origin(kind) in (list, Sequence) else (None,)

        @functools.wraps(verb)
        def asked(*args: P.args, **kwargs: P.kwargs) -> Any:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            given = dict(bound.arguments)
            face = given.pop("self")
            only(**{name: given.pop(name) for name in out_of_reach_here if name in given})
            where = re.sub(r"{(\w+)}", lambda found: quote(str(given.pop(found[1])), safe=""), path)
            repeat = again and ("key" not in given or given["key"] is not None)
            fields = {
                **face._owner,
                **(always or {}),
                **{names.get(name, name): one for name, one in given.items() if one is not None},
            }
            if "timeout" in fields:
                fields["timeout"] = min(fields["timeout"], MOST_SECONDS)
            if pages:
                limit = fields.pop("limit", None)
                return list(paged(face._wire, item, where, limit=limit, cursor=pages, **fields))
            found = face._wire.send(method, where, fields, again=method == "GET" or repeat)
            if kind is None:
                return None
            if into is not None:
                return into(found)
            if item is not None:
                return [read(item, one) for one in found[key or "items"]]
            return read(kind, found[key] if key else found)

        return checked(asked)

    return decorate
