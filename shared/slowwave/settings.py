"""Settings from SLOWWAVE_* variables, validated once, with all problems reported together."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self, TypedDict

from pydantic import DirectoryPath, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from slowwave.errors import Incorrect
from slowwave.runtime.addresses import Broker, Cache, FilePlace, Postgres, around_packs
from slowwave.validation_messages import nearest, sentence, shortened

PREFIX = "SLOWWAVE_"
_HINT = "correct or unset these variables; `slowwave doctor --all` lists every setting"
_HINT_CONNECT = 'help("slowwave.Memory.connect") shows its arguments; `slowwave doctor --all` describes each setting'


def default_home() -> Path:
    """Return the default folder for the data of embedded services, which SLOWWAVE_HOME overrides.

    For root, the servers run as another user, and this user can access the folder. Windows has no root and no embedded
    services.
    """
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return Path("/var/tmp/slowwave") if root else Path.home() / ".local" / "share" / "slowwave"


class Options(TypedDict, total=False):
    """The settings as keyword arguments; `Settings` describes each argument."""

    owner_url: str | None
    read_url: str | None
    read_stale_seconds: float
    cells: Path | str | None
    pooler: bool
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
    encryption_keys: str | None
    id_key: str | None
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
    read_ahead: bool
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
    api_processes: int
    pool_size: int
    flower_port: int
    audit: Literal["off", "writes", "reads", "verbose"]
    secrets: Literal["mask", "keep"]
    log_level: str


class Settings(BaseSettings):
    """The settings of one process, from variables SLOWWAVE_<NAME>. An empty variable counts as unset."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_ignore_empty=True,
        frozen=True,
        extra="forbid",
        protected_namespaces=(),
        allow_inf_nan=False,
    )

    url: Postgres | None = Field(None, description="Postgres, as the login `slowwave`; the embedded one when not set")
    owner_url: Postgres | None = Field(None, description="Postgres, as slowwave_owner: for migrations only")
    read_url: Postgres | None = Field(
        None, description="a streaming replica of Postgres for reads, as the login `slowwave`"
    )
    read_stale_seconds: float = Field(
        1.0, ge=0, le=60, description="seconds for which reads on the replica may miss writes of other processes"
    )
    cells: FilePlace | None = Field(
        None, description="the file of several databases, each with some of the tenants; instead of SLOWWAVE_URL"
    )
    pooler: bool = Field(
        False, description="whether Postgres is reached through a pooler in transaction mode, such as PgBouncer"
    )
    broker_url: Broker | None = Field(None, description="Redis, as Celery's broker; without it workers only poll")
    cache_url: Cache | None = Field(None, description="Redis, as a cache; another instance than the broker")
    cache_bytes: int = Field(
        64 * 1024 * 1024, ge=4 * 1024 * 1024, description="bytes at which the embedded cache evicts"
    )
    home: FilePlace = Field(default_factory=default_home, description="where the embedded services keep their data")
    rules: DirectoryPath | None = Field(None, description="a folder of rule packs that override the shipped ones")
    preset: str | None = Field(None, description="a preset for every policy, which overrides lifecycle.yaml")
    tenant: str = Field("default", min_length=1, description="the tenant of scopes without a tenant")
    database_bytes: int | None = Field(
        None, ge=64 * 1024 * 1024, description="database size at which Slowwave refuses writes"
    )
    free_bytes: int = Field(
        256 * 1024 * 1024,
        ge=0,
        description="minimum free bytes on the disk of the embedded Postgres",
    )
    encryption_keys: SecretStr | None = Field(
        None, description="the master keys for encryption at rest, base64, comma-separated, the current key first"
    )
    id_key: SecretStr | None = Field(
        None, description="the id key, base64 of at least 32 bytes; without it, ids can be computed from names"
    )
    outbox: FilePlace | None = Field(None, description="a file that keeps episodes while Postgres is down")
    outbox_bytes: int = Field(256 * 1024 * 1024, ge=1024 * 1024, description="maximum number of bytes of the outbox")
    reports: FilePlace | None = Field(None, description="a folder for nightly reports")
    traces_url: str | None = Field(None, description="the trace collector, OTLP over HTTP")
    lease_seconds: float = Field(60, gt=0, le=3600, description="seconds after which an unrenewed lease ends")
    soft_limit_seconds: float = Field(600, gt=0, le=86_400, description="seconds after which a run is stopped")
    tick_seconds: float = Field(5, gt=0, le=300, description="seconds between the scheduler's checks for due schedules")
    poll_seconds: float = Field(2, gt=0, le=300, description="seconds between a polling worker's checks for work")
    overdue_seconds: float = Field(10, ge=0, le=86_400, description="seconds before the poller does overdue work")
    stall_seconds: float = Field(30, gt=0, le=86_400, description="seconds without progress before a worker restarts")
    window: int = Field(200, ge=1, le=10_000, description="maximum number of episodes one consolidating run reads")
    prepare_window: int = Field(
        1000, ge=1, le=10_000, description="maximum number of episodes one preparing run embeds"
    )
    model: str | None = Field(
        None, min_length=1, description="the language model that packs call, by its provider's name"
    )
    extraction_model: str | None = Field(
        None,
        min_length=1,
        description="the model that packs read with; by default SLOWWAVE_MODEL, else the preset's model",
    )
    model_url: str = Field("https://api.openai.com/v1", description="the model's endpoint, with OpenAI's protocol")
    model_key: SecretStr | None = Field(None, description="the key of the model's endpoint")
    model_timeout_seconds: float = Field(120, gt=0, le=3600, description="the timeout of a model call in seconds")
    model_slots: int = Field(4, ge=1, le=1000, description="maximum number of concurrent model calls")
    read_ahead: bool = Field(True, description="whether a second process reads backlogs in advance")
    model_ahead: int = Field(
        3, ge=1, le=1000, description="maximum number of windows per scope and pack that wait for a model"
    )
    model_tokens_a_day: int | None = Field(None, ge=1, description="maximum number of tokens a tenant may use per day")
    model_money_a_day: float | None = Field(None, gt=0, description="maximum money that a tenant may spend per day")
    model_prompt_price: float = Field(0, ge=0, description="the price of a million prompt tokens")
    model_reply_price: float = Field(0, ge=0, description="the price of a million reply tokens")
    working_seconds: float = Field(
        3600, gt=0, le=30 * 86_400, description="seconds that a working memory outlives its last turn"
    )
    working_tokens: int | None = Field(
        None, ge=1, description="maximum number of tokens in a working memory; else the policy's"
    )
    working_turns: int = Field(50, ge=1, le=10_000, description="maximum number of turns in a working memory")
    embedder: str = Field(
        "static", min_length=1, description="the embedder: static, e5, endpoint, or one of an installed package"
    )
    embedder_before: str | None = Field(
        None, min_length=1, description="the previous embedder, for scopes that have not moved yet"
    )
    embedding_model: str | None = Field(
        None, min_length=1, max_length=150, description="the embedding model, by its provider's name"
    )
    embedding_url: str = Field(
        "https://api.openai.com/v1", description="the embedding model's endpoint, with OpenAI's /embeddings"
    )
    embedding_key: SecretStr | None = Field(None, description="the key of the embedding endpoint")
    embedding_dimensions: int | None = Field(
        None, ge=1, le=16_000, description="the dimensions of the embedding model's vectors"
    )
    embedding_shorten: bool = Field(False, description="whether the endpoint has to return vectors of these dimensions")
    embedding_batch: int = Field(
        64, ge=1, le=2048, description="maximum number of texts per request to the embedding endpoint"
    )
    embedding_timeout_seconds: float = Field(
        10, gt=0, le=600, description="the embedding endpoint's timeout for a question, in seconds"
    )
    summariser: str = Field(
        "extractive",
        min_length=1,
        description="the summariser: extractive, model (the packs' model), or one of an installed package",
    )
    sources: str = Field(
        "", description="external memories that `search_index` also searches, by name, comma-separated"
    )
    source_seconds: float = Field(2.0, gt=0, le=60, description="seconds that a question waits for external memories")
    restate: str = Field(
        "",
        pattern="^((expansion|hyde|self_query)[, ]*)*$",
        description="ways to restate questions, comma-separated: expansion; hyde and self_query, which call a model",
    )
    restate_seconds: float = Field(2.0, gt=0, le=60, description="seconds that restating may take")
    statements: bool = Field(True, description="whether statements are extracted, besides typed facts")
    capture_enabled: bool = Field(False, description="whether tool calls are captured")
    capture_tools: str = Field("Read,Edit,Bash", description="the tools that may be captured; * for all")
    capture_skip_tools: str = Field("Grep,Glob", description="the tools that are never captured")
    capture_max_per_minute: int = Field(120, ge=1, description="maximum number of captured calls per scope and minute")
    worker_processes: int = Field(2, ge=1, le=64, description="Celery's child processes")
    api_processes: int = Field(1, ge=1, le=64, description="processes of `slowwave serve` that answer requests")
    pool_size: int = Field(4, ge=1, le=100, description="open connections per process and role")
    api_rate: float = Field(
        100, gt=0, le=1_000_000, description="sustained requests per second of an API key, for each verb"
    )
    api_burst: int = Field(200, ge=1, le=1_000_000, description="burst of requests of an API key, for each verb")
    api_body_bytes: int = Field(
        8 * 1024 * 1024, ge=1024, description="maximum number of bytes of an HTTP request, or of one line of a stream"
    )
    webhooks: Literal["public", "loopback", "private"] = Field(
        "public", description="allowed addresses of webhooks: public, also this host (loopback), also private networks"
    )
    webhook_timeout_seconds: float = Field(10, gt=0, le=60, description="a webhook's timeout for one delta, in seconds")
    webhook_days: float = Field(3, gt=0, le=365, description="days of failures after which a webhook is disabled")
    flower_port: int = Field(5555, ge=1, le=65535, description="Flower's port on the loopback interface")
    names_in_flower: bool = Field(False, description="whether Flower shows names of users instead of ids")
    audit: Literal["off", "writes", "reads", "verbose"] = Field("writes", description="what the audit log records")
    secrets: Literal["mask", "keep"] = Field(
        "mask", description="whether passwords, keys and card numbers are masked or kept"
    )
    log_level: str = Field("INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$", description="the lowest level of log lines")

    @property
    def embedded(self) -> bool:
        """True if the settings name no Postgres; then the embedded one is used."""
        return self.url is None and self.cells is None

    @property
    def restating(self) -> list[str]:
        """The ways to restate a question before recall."""
        return [way for way in ("expansion", "hyde", "self_query") if way in self.restate]

    @property
    def beat_seconds(self) -> float:
        """The number of seconds between renewals of a lease: a quarter of the duration of the lease."""
        return self.lease_seconds / 4

    @property
    def hard_limit_seconds(self) -> float:
        """The seconds after which a run's process is killed. By then, the run's lease has ended."""
        return self.soft_limit_seconds + self.lease_seconds

    _around_packs = field_validator("rules")(around_packs)

    @classmethod
    def unknown(cls) -> list[str]:
        """Return the environment variables SLOWWAVE_* that are no settings. They are probably typing errors."""
        known = {PREFIX + name.upper() for name in cls.model_fields}
        return sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known)

    @classmethod
    def load(cls, **overrides: Any) -> Self:
        """Return the settings of the environment, overridden by *overrides*.

        Raises `Incorrect` with every problem and every unknown override. A problem names the override or variable. The
        error contains no URL, because URLs may hold passwords.
        """
        known = cls.model_fields
        problems = [f"{name}: is not a setting{nearest(name, known)}" for name in overrides if name not in known]
        try:
            found = cls(**{name: value for name, value in overrides.items() if name in known})
        except ValidationError as error:
            problems += [_problem_text(dict(one), overrides=overrides) for one in error.errors(include_url=False)]
        except OSError as error:
            problems.append(f"one of the paths is invalid: {error.strerror}")
        if problems:
            ours = [problem for problem in problems if problem.startswith(PREFIX)]
            if overrides and not ours:
                raise Incorrect.listing("the arguments of connect", problems, hint=_HINT_CONNECT)
            subject = (
                "the environment" if len(ours) == len(problems) else "the arguments of connect, and the environment,"
            )
            raise Incorrect.listing(subject, problems, hint=_HINT)
        return found


def _problem_text(problem: dict[str, Any], *, overrides: Mapping[str, Any]) -> str:
    """Return a problem as text, with the name of the override or variable, but without the value of a URL."""
    field = str(problem["loc"][0])
    shown = (lambda value: type(value).__name__) if field.endswith("url") else shortened
    return f"{field if field in overrides else PREFIX + field.upper()}: {sentence(problem, shown=shown)}"


def secret(value: SecretStr | None) -> str | None:
    """Return the text of a secret setting, or None."""
    return value.get_secret_value() if value else None
