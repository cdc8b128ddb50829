"""Settings of an operator, from SLOWWAVE_* variables: validated once, all problems reported together."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypedDict

from pydantic import AfterValidator, DirectoryPath, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from slowwave.errors import Incorrect
from slowwave.problems import nearest, sentence, shortened

PREFIX = "SLOWWAVE_"


def default_home() -> Path:
    """Return where the embedded services keep their data, unless SLOWWAVE_HOME says otherwise.

    Root's servers run as another user, so root's data lies where that user may enter. Windows has no root and no
    embedded services.
    """
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return Path("/var/tmp/slowwave") if root else Path.home() / ".local" / "share" / "slowwave"


def _written_like(*examples: str, also: Sequence[str] = ()) -> AfterValidator:
    """Return the check that an address begins as one of *examples* or *also* does; it never repeats the address."""
    schemes = tuple(example.partition("://")[0] + "://" for example in (*examples, *also))

    def check(address: SecretStr) -> SecretStr:
        if not address.get_secret_value().startswith(schemes):
            raise ValueError(f"expected an address like {' or '.join(examples)}")
        return address

    return AfterValidator(check)


def _without_nul(path: Path) -> Path:
    if "\0" in str(path):
        raise ValueError("contains NUL")
    return path


FilePlace = Annotated[Path, AfterValidator(_without_nul)]
Postgres = Annotated[
    SecretStr, _written_like("postgresql://slowwave@host:5432/slowwave", also=["postgres://", "postgresql+psycopg://"])
]
Broker = Annotated[SecretStr, _written_like("redis://host:6379/0", "rediss://host:6379/0", "redis+socket:///path")]
Cache = Annotated[SecretStr, _written_like("redis://host:6379/1", "rediss://host:6379/1", "unix:///path")]


class Options(TypedDict, total=False):
    """The settings as they are told in Python; see `Settings` for each."""

    owner_url: str | None
    broker_url: str | None
    cache_url: str | None
    cache_bytes: int
    home: Path | str
    rules: Path | str | None
    preset: str | None
    statements: bool
    embedder: str
    embedder_before: str | None
    embedding_model: str | None
    embedding_url: str
    embedding_key: str | None
    embedding_dimensions: int | None
    embedding_shorten: bool
    embedding_batch: int
    embedding_timeout_seconds: float
    summariser: str
    sources: str
    source_seconds: float
    restate: str
    restate_seconds: float
    tenant: str
    outbox: Path | str | None
    outbox_bytes: int
    reports: Path | str | None
    traces_url: str | None
    lease_seconds: float
    soft_limit_seconds: float
    tick_seconds: float
    poll_seconds: float
    overdue_seconds: float
    stall_seconds: float
    window: int
    prepare_window: int
    model: str | None
    extraction_model: str | None
    model_url: str
    model_key: str | None
    model_timeout_seconds: float
    model_slots: int
    model_ahead: int
    model_tokens_a_day: int | None
    model_money_a_day: float | None
    model_prompt_price: float
    model_reply_price: float
    working_seconds: float
    working_tokens: int | None
    working_turns: int
    capture_enabled: bool
    capture_tools: str
    capture_skip_tools: str
    capture_max_per_minute: int
    worker_processes: int
    pool_size: int
    flower_port: int
    audit: Literal["off", "writes", "reads", "verbose"]
    secrets: Literal["mask", "keep"]
    log_level: str


class Settings(BaseSettings):
    """The settings of one process. Every field is the variable SLOWWAVE_<NAME>; an empty one counts as not set."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_ignore_empty=True,
        frozen=True,
        extra="forbid",
        protected_namespaces=(),
        allow_inf_nan=False,
    )

    url: Postgres | None = Field(None, description="Postgres, as the login `slowwave`; embedded when not set")
    owner_url: Postgres | None = Field(None, description="Postgres, as slowwave_owner: for migrations only")
    broker_url: Broker | None = Field(None, description="Redis, as Celery's broker; none means polling alone")
    cache_url: Cache | None = Field(None, description="Redis, as a cache; another instance than the broker")
    cache_bytes: int = Field(
        64 * 1024 * 1024, ge=4 * 1024 * 1024, description="how much the embedded cache takes before it evicts"
    )
    home: FilePlace = Field(default_factory=default_home, description="where the embedded services keep their data")
    rules: DirectoryPath | None = Field(None, description="a folder of rule packs that goes before the shipped ones")
    preset: str | None = Field(None, description="a preset for every policy, before what lifecycle.yaml chooses")
    tenant: str = Field("default", min_length=1, description="the tenant of scopes that name none")
    outbox: FilePlace | None = Field(None, description="a file that keeps episodes while Postgres is away")
    outbox_bytes: int = Field(256 * 1024 * 1024, ge=1024 * 1024, description="how much the outbox takes")
    reports: FilePlace | None = Field(None, description="a folder that gets a page about each night")
    traces_url: str | None = Field(None, description="where traces go, a collector of OTLP over HTTP")
    lease_seconds: float = Field(60, gt=0, le=3600, description="how long a silent worker keeps a scope")
    soft_limit_seconds: float = Field(600, gt=0, le=86_400, description="how long a run may think before it is stopped")
    tick_seconds: float = Field(5, gt=0, le=300, description="how often the scheduler looks")
    poll_seconds: float = Field(2, gt=0, le=300, description="how often a polling worker looks")
    overdue_seconds: float = Field(10, ge=0, le=86_400, description="what the poll fallback leaves to Celery")
    stall_seconds: float = Field(
        30, gt=0, le=86_400, description="how long a worker may show no progress while it is called"
    )
    window: int = Field(200, ge=1, le=10_000, description="the most episodes one consolidating run reads")
    prepare_window: int = Field(1000, ge=1, le=10_000, description="the most episodes one preparing run embeds")
    model: str | None = Field(
        None, min_length=1, description="the language model that packs ask, by its provider's name"
    )
    extraction_model: str | None = Field(
        None, min_length=1, description="the model that packs read with; the one above where not set, else the preset's"
    )
    model_url: str = Field("https://api.openai.com/v1", description="the endpoint, which speaks OpenAI's protocol")
    model_key: SecretStr | None = Field(None, description="the key of that endpoint")
    model_timeout_seconds: float = Field(120, gt=0, le=3600, description="how long a call to a model may take")
    model_slots: int = Field(4, ge=1, le=1000, description="how many calls to a model may be under way at once")
    model_ahead: int = Field(3, ge=1, le=1000, description="how many windows of a scope and pack may wait for a model")
    model_tokens_a_day: int | None = Field(None, ge=1, description="the most tokens a tenant may use on a day")
    model_money_a_day: float | None = Field(None, gt=0, description="the most money a tenant may spend on a day")
    model_prompt_price: float = Field(0, ge=0, description="what a million tokens of a prompt cost")
    model_reply_price: float = Field(0, ge=0, description="what a million tokens of a reply cost")
    working_seconds: float = Field(3600, gt=0, le=30 * 86_400, description="how long a silent conversation is in mind")
    working_tokens: int | None = Field(
        None, ge=1, description="how many tokens of turns a conversation keeps in mind; the policy says it else"
    )
    working_turns: int = Field(50, ge=1, le=10_000, description="how many turns a conversation keeps in mind")
    embedder: str = Field(
        "static", min_length=1, description="who makes vectors of texts: static, e5, endpoint, or what a package brings"
    )
    embedder_before: str | None = Field(
        None, min_length=1, description="who made vectors before, for scopes that were not moved yet"
    )
    embedding_model: str | None = Field(
        None, min_length=1, max_length=150, description="the embedding model, by its provider's name"
    )
    embedding_url: str = Field(
        "https://api.openai.com/v1", description="the endpoint of that model, which has OpenAI's /embeddings"
    )
    embedding_key: SecretStr | None = Field(None, description="the key of that endpoint")
    embedding_dimensions: int | None = Field(
        None, ge=1, le=16_000, description="how many numbers a vector of that model has"
    )
    embedding_shorten: bool = Field(False, description="whether the endpoint is told how many numbers are wanted")
    embedding_batch: int = Field(64, ge=1, le=2048, description="how many texts the endpoint is asked about at once")
    embedding_timeout_seconds: float = Field(
        10, gt=0, le=600, description="how long the endpoint may take, with a question waiting for it"
    )
    summariser: str = Field(
        "extractive",
        min_length=1,
        description="who sums talk up; `model` asks that of packs; a package may bring others",
    )
    sources: str = Field("", description="other memories an index may show, by comma; packages bring them")
    source_seconds: float = Field(2.0, gt=0, le=60, description="seconds that a question waits for other memories")
    restate: str = Field(
        "",
        pattern="^((expansion|hyde|self_query)[, ]*)*$",
        description="how questions are restated before recall, by comma: expansion, and by a model hyde, self_query",
    )
    restate_seconds: float = Field(2.0, gt=0, le=60, description="seconds that a question waits for that model")
    statements: bool = Field(True, description="whether statements are read out of talk, beside typed facts")
    capture_enabled: bool = Field(False, description="whether calls of tools are captured as they happen")
    capture_tools: str = Field("Read,Edit,Bash", description="the tools that may be captured; * for all")
    capture_skip_tools: str = Field("Grep,Glob", description="the tools that are never captured")
    capture_max_per_minute: int = Field(120, ge=1, description="how many calls a minute are captured of a scope")
    worker_processes: int = Field(2, ge=1, le=64, description="Celery's child processes")
    pool_size: int = Field(
        4, ge=1, le=100, description="how many connections a process keeps open for each role it acts as"
    )
    api_rate: float = Field(
        100,
        gt=0,
        le=1_000_000,
        description="how many requests a second an API key may make of each verb, in the long run",
    )
    api_burst: int = Field(
        200, ge=1, le=1_000_000, description="how many requests an API key may make of each verb at once"
    )
    api_body_bytes: int = Field(
        8 * 1024 * 1024, ge=1024, description="how much one request over HTTP may carry; of a stream, one line of it"
    )
    webhooks: Literal["public", "loopback", "private"] = Field(
        "public", description="where webhooks may go: public addresses, this host too, private ones too"
    )
    webhook_timeout_seconds: float = Field(10, gt=0, le=60, description="how long a webhook may take for one delta")
    webhook_days: float = Field(3, gt=0, le=365, description="days of failures after which a webhook is disabled")
    flower_port: int = Field(5555, ge=1, le=65535, description="where Flower listens, on the loopback interface")
    names_in_flower: bool = Field(False, description="whether Flower shows names of users; ids otherwise")
    audit: Literal["off", "writes", "reads", "verbose"] = Field("writes", description="what the audit log keeps")
    secrets: Literal["mask", "keep"] = Field("mask", description="what becomes of passwords, keys and card numbers")
    log_level: str = Field("INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$", description="what is logged")

    @property
    def restating(self) -> list[str]:
        """The ways in which a question is restated before recall."""
        return [way for way in ("expansion", "hyde", "self_query") if way in self.restate]

    @property
    def beat_seconds(self) -> float:
        """Seconds between two renewals of a lease: four while it lasts."""
        return self.lease_seconds / 4

    @property
    def hard_limit_seconds(self) -> float:
        """Seconds after which a run's process is ended: by then, a run past the soft limit has no lease."""
        return self.soft_limit_seconds + self.lease_seconds

    @classmethod
    def unknown(cls) -> list[str]:
        """Return the variables that look like a setting and are none: a name with a slip in it."""
        known = {PREFIX + name.upper() for name in cls.model_fields}
        return sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known)

    @classmethod
    def load(cls, **overrides: Any) -> Self:
        """Return the settings of the environment, with *overrides* on top.

        Raises `Incorrect` with every problem, by the name of the override or else of the variable, and with every
        override that is no setting; no address is shown.
        """
        known = cls.model_fields
        problems = [f"{name}: is no setting{nearest(name, known)}" for name in overrides if name not in known]
        try:
            found = cls(**{name: value for name, value in overrides.items() if name in known})
        except ValidationError as error:
            problems += [_said(dict(one), told=overrides) for one in error.errors(include_url=False)]
        except OSError as error:
            problems.append(f"a path among them cannot be one: {error.strerror}")
        if problems:
            ours = [problem for problem in problems if problem.startswith(PREFIX)]
            if overrides and not ours:
                raise Incorrect.listing("what connect is told", problems, hint=_HINT_TOLD)
            subject = "the environment" if len(ours) == len(problems) else "what connect is told, and the environment,"
            raise Incorrect.listing(subject, problems, hint=_HINT)
        return found


_HINT = "mend these variables, or unset them; `slowwave doctor` lists every setting"
_HINT_TOLD = 'help("slowwave.Memory.connect") says what it takes; `slowwave doctor --all` says what each setting is for'


def _said(problem: dict[str, Any], *, told: Mapping[str, Any]) -> str:
    """Return a problem by the name under which the setting was told; of an address nothing is repeated."""
    field = str(problem["loc"][0])
    shown = (lambda value: type(value).__name__) if field.endswith("url") else shortened
    return f"{field if field in told else PREFIX + field.upper()}: {sentence(problem, shown=shown)}"


def secret(value: SecretStr | None) -> str | None:
    """Return the text of a secret setting, or None."""
    return value.get_secret_value() if value else None
