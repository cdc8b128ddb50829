"""The MCP server with tools and resources. Errors are sentences with a hint."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, InputRequiredResult, Resource, ToolAnnotations
from pydantic import AfterValidator, Field, ValidationError

from slowwave.api.mcp import results
from slowwave.api.mcp.caller import CallerContext, CallerOf
from slowwave.domain.dead_letter import Review, Verdict
from slowwave.domain.episode import EpisodeFields, Role, new_key, problems_of
from slowwave.domain.fact import Fact
from slowwave.domain.queries.profile import Profile
from slowwave.domain.queries.unread import UnreadTurns
from slowwave.errors import Incorrect, NotFound, SlowwaveError
from slowwave.memory import Memory, MemoryScope

_NOTHING = {"title", "$schema"}
MOST = 50
"""The maximum number of memories per call. A result must be short, because it becomes a part of a model's prompt."""
MOST_UNREAD = 3
"""The maximum number of unread turns shown beside facts."""
User = Annotated[str | None, Field(description="The user, if not the default one")]
Channel = Annotated[str | None, Field(description="The project or channel, if not the default one")]
Time = Annotated[datetime, AfterValidator(lambda at: at if at.tzinfo else at.replace(tzinfo=UTC))]
"""An instant in ISO 8601. An instant without a zone is in UTC."""
Many = Annotated[int, Field(ge=1, le=MOST)]


def slim(schema: Any) -> Any:
    """Return a JSON schema without titles. An optional argument has only its type, without null and default.

    >>> slim({"title": "A", "properties": {"b": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}}})
    {'properties': {'b': {'type': 'string'}}}
    """
    if isinstance(schema, list):
        return [slim(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    slimmed = {name: slim(one) for name, one in schema.items() if name not in _NOTHING or isinstance(one, dict)}
    choices = slimmed.get("anyOf")
    if choices and {"type": "null"} in choices and len(choices) == 2:
        (other,) = (one for one in choices if one != {"type": "null"})
        del slimmed["anyOf"]
        slimmed = {**other, **slimmed}
        if slimmed.get("default", ...) is None:
            del slimmed["default"]
    return slimmed


@dataclass(frozen=True, slots=True, repr=False)
class Tools:
    """The tools of one memory. The docstring of each tool is its description for agents."""

    asking: CallerOf

    def push(
        self,
        call: CallerContext,
        content: Annotated[str, Field(description="The words, as they were said")],
        role: Annotated[Role, Field(description="Who said it")] = "user",
        session: Annotated[str | None, Field(description="The conversation it belongs to")] = None,
        key: Annotated[
            str | None, Field(description="Your own id for it; a repeated push with the same key is stored once")
        ] = None,
        speaker: Annotated[str | None, Field(description='The name of the person who says "I"')] = None,
        occurred_at: Time | None = None,
        user: User = None,
        channel: Channel = None,
    ) -> Annotated[CallToolResult, results.Stored]:
        """Remember what was just said or decided. Call it when the user tells something worth knowing later (about
        themselves, their wishes, a decision, a correction), and give their own words in the first person: facts are
        extracted from them in the background, and later facts replace older ones. Returns `stored` and the key."""
        scope, _ = self._scope(call, "push", user, channel)
        fields: EpisodeFields = {"role": role, "key": new_key() if key is None else key}
        if session is not None:
            fields["session"] = session
        if speaker is not None:
            fields["speaker"] = speaker
        if occurred_at is not None:
            fields["occurred_at"] = occurred_at
        return results.stored(scope.push(content, **fields))

    def recall(
        self, call: CallerContext, question: str, limit: Many = 5,
        kind: Annotated[Literal["fact", "episode"] | None, Field(description="Only facts, or only episodes")] = None,
        since: Time | None = None, until: Time | None = None,
        as_of: Annotated[Time | None, Field(description="Ask about another time")] = None, user: User = None,
        channel: Channel = None,
    ) -> Annotated[CallToolResult, results.Memories]:  # fmt: skip
        """Search the memory. Call it with one plain question, before you answer, or before you ask something that the
        user may have said already. Returns facts and episodes, best first, each with an id, a day and a score from 0 to
        1. Two in five of the results with score 0.4 answer the question; below 0.02, hardly any do."""
        scope, _ = self._scope(call, "recall", user, channel)
        found = scope.recall(
            question, limit=limit, kinds=None if kind is None else [kind], since=since, until=until, as_of=as_of
        )
        return results.memories(found)

    def context(
        self, call: CallerContext, question: Annotated[str, Field(description="The task or the user's message")],
        session: Annotated[str | None, Field(description="The running conversation: its summary comes first")] = None,
        max_tokens: Annotated[int, Field(ge=50, le=20_000)] = 1_000, user: User = None, channel: Channel = None,
    ) -> Annotated[CallToolResult, results.Context]:  # fmt: skip
        """Get the context for a task, as one text within a token budget. Call it once at the start of a conversation or
        a new task; for a single question `recall` is shorter."""
        scope, _ = self._scope(call, "recall", user, channel)
        return results.context(scope.context(question, session=session, max_tokens=max_tokens))

    def facts(
        self, call: CallerContext, limit: Many = 20,
        after: Annotated[str | None, Field(description="Continue after this id, the last of the previous page")] = None,
        as_of: Annotated[Time | None, Field(description="Facts true at that time")] = None,
        known_at: Annotated[Time | None, Field(description="Facts believed at that time")] = None, user: User = None,
        channel: Channel = None,
    ) -> Annotated[CallToolResult, results.Beliefs]:  # fmt: skip
        """List the facts about the user, now or at another time, page by page. Call it for an overview or when asked
        "what do you know about me?"; to answer one question use `recall`. Returns each fact with its id, start and
        confidence; and the newest turns in languages that no rules or model can read."""
        scope, _ = self._scope(call, "recall", user, channel)
        facts = scope.facts(limit=limit, after=after, as_of=as_of, known_at=known_at)
        return results.beliefs(facts, limit, UnreadTurns() if after else scope.unread(MOST_UNREAD))

    def why(
        self, call: CallerContext, id: Annotated[str, Field(description="As `recall` or `facts` shows it")],
        user: User = None, channel: Channel = None,
    ) -> Annotated[CallToolResult, results.Why]:  # fmt: skip
        """Explain why a fact is believed, with the original words, or show an episode in full. Call it when the user
        doubts a memory, or before you rely on one that matters. Returns each change of the fact: when, by which rule,
        from whose words, and what it replaced."""
        defaults, memory = self.asking.allow(call, "recall"), self.asking.memory()
        try:
            return results.why(memory.why(id, tenant=defaults.tenant))
        except NotFound as missing:
            return _require_episode(defaults.scope(memory, user, channel).entries, id, missing)

    def review(
        self, call: CallerContext,
        number: Annotated[int | None, Field(description="The review to decide; omit it to list all")] = None,
        verdict: Verdict | None = None, by: Annotated[str | None, Field(description="The person who decides")] = None,
        object: Annotated[str | None, Field(description="The correct object, with `edit`")] = None,
        replaces: Annotated[str | None, Field(description="Full id of the fact to replace")] = None, user: User = None,
        channel: Channel = None,
    ) -> Annotated[CallToolResult, results.Reviews]:  # fmt: skip
        """List claims that need a person's decision, or decide one. Without a number it lists them; ask the user, then
        call it with number, verdict and `by`: the person's name. Never decide by yourself."""
        scope, memory = self._scope(call, "review", user, channel)
        reach = set(scope.reach)
        waiting = [one for one in memory.review(tenant=scope.scope.tenant) if one.scope in reach]
        if number is None:
            return results.waiting(waiting)
        if verdict is None or by is None:
            missing = [f"{name}: is missing" for name, value in (("verdict", verdict), ("by", by)) if value is None]
            raise Incorrect.listing("review", missing, hint="give the verdict, and the person who decided")
        delta = memory.decide(
            _number(number, waiting), verdict, by=by, object=object, replaces=replaces, tenant=scope.scope.tenant
        )
        result = results.Reviews(decided=number, delta=results.short(delta))
        return results.tool_result([f"{number} is decided: delta {result.delta}"], result)

    def correct(
        self, call: CallerContext,
        id: Annotated[str, Field(description="The wrong fact, as `recall` or `facts` shows it")],
        by: Annotated[str, Field(description="The person who corrects it")],
        right: Annotated[str | None, Field(description="The right object; for a statement, the whole sentence")] = None,
        reason: Annotated[str, Field(description="Why, in a few words")] = "",
        preview: Annotated[bool, Field(description="Only show what would change")] = False, user: User = None,
        channel: Channel = None,
    ) -> Annotated[CallToolResult, results.Undone]:  # fmt: skip
        """Correct a fact that was never true, with all that was derived from it. Call it when the user says that a
        memory is wrong; for something that was true until now, push the user's words instead. What the fact replaced is
        believed again. Returns what is withdrawn, restored and believed instead."""
        scope, memory = self._scope(call, "review", user, channel)
        found = memory.why(id, tenant=scope.scope.tenant)
        if found.scope not in scope.reach:
            raise NotFound(f"there is no fact {id} here", hint="`facts` lists the ids of what is believed")
        owner = memory.scope(
            found.scope.user, agent=found.scope.agent, channel=found.scope.channel, tenant=scope.scope.tenant
        )  # fmt: skip
        return results.undone(owner.correct(found.fact, right, by=by, reason=reason, preview=preview))

    def forget(
        self, call: CallerContext, fact: Annotated[str | None, Field(description="A fact, as `facts` shows it")] = None,
        session: Annotated[str | None, Field(description="A conversation")] = None,
        matching: Annotated[str | None, Field(description="Erase what contains these words")] = None,
        confirm: Annotated[str | None, Field(description="The token of the preview the user agreed to")] = None,
        user: User = None,
    ) -> Annotated[CallToolResult, results.Forgotten]:  # fmt: skip
        """Forget for good what a user asks to have erased: a fact with the episodes that support it, a conversation,
        the memories that contain the words `matching`, or, without these arguments, everything about the user. Call it
        first without `confirm`: it erases nothing and shows what it would erase. Ask the user, then call it again with
        the token. Nobody can undo an erasure."""
        defaults, memory = self.asking.allow(call, "operate"), self.asking.memory()
        name = defaults.named(user)
        if fact is not None:
            found = memory.why(fact, tenant=defaults.tenant)
            if found.scope is None or found.scope.user != name:
                raise NotFound(f"there is no fact {fact} here", hint="`facts` lists the ids of what is believed")
        done = memory.forget(
            user=None if fact else name, session=session, fact=fact, matching=matching, preview=confirm is None,
            confirm=confirm, tenant=defaults.tenant,
        )  # fmt: skip
        return results.forgotten(done)

    def _scope(
        self, call: CallerContext, verb: Literal["push", "recall", "review"], user: str | None, channel: str | None
    ) -> tuple[MemoryScope, Memory]:
        memory = self.asking.memory()
        return self.asking.allow(call, verb).scope(memory, user, channel), memory


def tools(asking: CallerOf) -> list[Tool]:
    """Return the tools that the server lists, with short descriptions and schemas."""
    own = Tools(asking)
    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    writes = ToolAnnotations(destructive_hint=False, open_world_hint=False)
    return [
        *(_tool(verb, reads) for verb in (own.recall, own.context, own.facts, own.why)),
        *(_tool(verb, writes) for verb in (own.push, own.review)),
        *(
            _tool(verb, ToolAnnotations(destructive_hint=True, idempotent_hint=True, open_world_hint=False))
            for verb in (own.correct, own.forget)
        ),
    ]


def _tool(verb: Callable[..., Any], annotations: ToolAnnotations) -> Tool:
    text = " ".join((inspect.getdoc(verb) or "").split())
    tool = Tool.from_function(verb, description=text, annotations=annotations)
    tool.parameters = slim(tool.parameters)
    vars(tool)["output_schema"] = slim(tool.output_schema or {})
    return tool


def _require_episode(entries: Callable[[list[str]], list[Any]], id_: str, missing: NotFound) -> CallToolResult:
    """Return the memory with the id *id_*, usually an episode, as a tool result. Raises *missing* if there is no such
    memory.
    """
    try:
        (one,) = entries([id_])
    except NotFound:
        raise missing from None
    text = one.text if isinstance(one, Fact) else one.content
    return results.tool_result([text], results.Why(text=text, id=results.short(one.id)))


def _number(number: int, waiting: list[Review]) -> int:
    if all(one.number != number for one in waiting):
        raise NotFound(f"there is no open review {number} here", hint="without a number the tool lists open reviews")
    return number


MOST_FACTS = 100
PLAIN = "text/plain"
SAYS = {
    "profile": "The user's profile, by purpose",
    "facts": f"The facts believed about the user, at most {MOST_FACTS}",
}
_PARTS = ("preferences", "expertise_areas", "communication_style", "metadata")


OWN = [Resource(uri=f"slowwave://{name}", name=name, description=says, mime_type=PLAIN) for name, says in SAYS.items()]
"""The resources of the connection's user, which a client can list."""
INSTRUCTIONS = (
    "Long-term memory of the user. At the start of a task call `context`; before you ask or answer what the user may "
    "have told before, `recall`; when they tell something worth knowing later, `push` their words."
)


def add_resources(server: MCPServer[Any], asking: CallerOf) -> None:
    """Add the profile and the facts as resources. A URI may name a user and a channel; the default is the connection's
    user.
    """
    _add(server, asking, "profile", _profile)
    _add(server, asking, "facts", _facts)


def _add(server: MCPServer[Any], asking: CallerOf, name: str, read: Callable[[MemoryScope], str]) -> None:
    says = SAYS[name]

    def scope(call: CallerContext, user: str | None = None, channel: str | None = None) -> MemoryScope:
        return asking.allow(call, "recall").scope(asking.memory(), user, channel)

    @server.resource(f"slowwave://{name}{{?channel}}", name=name, description=says, mime_type=PLAIN)
    def own(call: CallerContext, channel: str | None = None) -> str:
        return read(scope(call, None, channel))

    @server.resource(
        f"slowwave://users/{{user}}/{name}{{?channel}}", name=f"{name}-of", description=says, mime_type=PLAIN
    )
    def of_user(call: CallerContext, user: str, channel: str | None = None) -> str:
        return read(scope(call, user, channel))


def _profile(scope: MemoryScope) -> str:
    profile: Profile = scope.profile()
    lines = []
    for name in _PARTS:
        part = getattr(profile, name)
        lines += [f"{name.replace('_', ' ')}:", *(f"- {entry.fact.text}" for entry in part)] if part else []
    return "\n".join(lines) or "there is no profile of this user yet"


def _facts(scope: MemoryScope) -> str:
    facts = scope.facts(limit=MOST_FACTS)
    return "\n".join(f"- {one.text}" for one in facts) or "there are no facts about this user yet"


class MemoryServer(MCPServer[Any]):
    """An MCP server of one memory. The server reports errors as a sentence with a hint, never as a traceback."""

    def __init__(self, asking: CallerOf) -> None:
        super().__init__(
            "slowwave", instructions=INSTRUCTIONS, version=version("slowwave"), tools=tools(asking), log_level="WARNING"
        )
        add_resources(self, asking)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Return the tool's result. Raises `ToolError` with the problem and a hint."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            raise _for_callers(name, error, ToolError) from error.__cause__

    async def list_resources(self) -> list[Resource]:
        """Return the resources of the connection's user. Resource templates cover other users."""
        return OWN

    async def read_resource(self, uri: Any, context: Context[Any, Any] | None = None) -> Any:
        """Return the contents of a resource. Raises `ResourceError` with the problem and a hint."""
        try:
            return await super().read_resource(uri, context)
        except ResourceError as error:
            kind = ResourceNotFoundError if isinstance(_cause(error), NotFound) else ResourceError
            raise _for_callers("read", error, kind) from error.__cause__


def _for_callers(name: str, error: Exception, kind: type[Exception]) -> Exception:
    """Return an error of the type *kind* with a sentence for callers.

    An *error* without such a sentence is returned unchanged.
    """
    cause = _cause(error)
    if isinstance(cause, ValidationError):
        return kind(str(Incorrect.listing(name, problems_of(cause), hint=f"see the schema of {name}")))
    if isinstance(cause, Incorrect) and (cause.hint or "").startswith("help("):  # a hint for Python callers
        cause.hint = f"see the schema of {name}"
    return kind(str(cause)) if isinstance(cause, SlowwaveError) else error


def _cause(error: BaseException | None) -> BaseException | None:
    """Return the first `SlowwaveError` or `ValidationError` among *error* and its causes; None without such
    an error.
    """
    while error is not None and not isinstance(error, SlowwaveError | ValidationError):
        error = error.__cause__
    return error
