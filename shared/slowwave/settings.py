"""What an operator may set, from SLOWWAVE_* variables: validated once, all problems reported together."""

import os
from pathlib import Path
from typing import Any, Self

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from slowwave.errors import Incorrect


def default_home() -> Path:
    """Return where the embedded services keep their data, unless SLOWWAVE_HOME says otherwise.

    Root's servers run as another user, so root's data lies where that user may enter.
    """
    return Path("/var/tmp/slowwave") if os.geteuid() == 0 else Path.home() / ".local" / "share" / "slowwave"


class Settings(BaseSettings):
    """The settings of one process. Every field is the variable SLOWWAVE_<NAME>."""

    model_config = SettingsConfigDict(env_prefix="SLOWWAVE_", frozen=True, extra="ignore")

    url: SecretStr | None = Field(None, description="Postgres, as the login `slowwave`; embedded when not set")
    owner_url: SecretStr | None = Field(None, description="Postgres, as slowwave_owner: for migrations only")
    broker_url: SecretStr | None = Field(None, description="Redis, as Celery's broker; none means polling alone")
    cache_url: SecretStr | None = Field(None, description="Redis, as a cache; another instance than the broker")
    home: Path = Field(default_factory=default_home, description="where the embedded services keep their data")
    rules: Path | None = Field(None, description="a folder of rule packs that goes before the shipped ones")
    tenant: str = Field("default", description="the tenant of scopes that name none")
    outbox: Path | None = Field(None, description="a file that keeps episodes while Postgres is away")
    outbox_bytes: int = Field(256 * 1024 * 1024, ge=1024 * 1024, description="how much the outbox takes")
    lease_seconds: float = Field(60, gt=0, le=3600, description="how long a silent worker keeps a scope")
    soft_limit_seconds: float = Field(600, gt=0, description="how long a run may think before its lease ends")
    tick_seconds: float = Field(5, gt=0, le=300, description="how often the scheduler looks")
    poll_seconds: float = Field(2, gt=0, le=300, description="how often a polling worker looks")
    overdue_seconds: float = Field(10, ge=0, description="what the poll fallback leaves to Celery")
    stall_seconds: float = Field(30, gt=0, description="how long a worker may show no progress while it is called")
    window: int = Field(200, ge=1, le=10_000, description="the most episodes one consolidating run reads")
    prepare_window: int = Field(1000, ge=1, le=10_000, description="the most episodes one preparing run embeds")
    worker_processes: int = Field(2, ge=1, le=64, description="Celery's child processes")
    flower_port: int = Field(5555, ge=1, le=65535, description="where Flower listens, on the loopback interface")
    log_level: str = Field("INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$", description="what is logged")

    @property
    def beat_seconds(self) -> float:
        """How often a lease is renewed: four times while it lasts."""
        return self.lease_seconds / 4

    @classmethod
    def load(cls, **overrides: Any) -> Self:
        """Return the settings of the environment, with *overrides* on top.

        Raises `Incorrect` with every problem, by the variable's name; no value of a secret is shown.
        """
        try:
            return cls(**overrides)
        except ValidationError as error:
            problems = [
                f"SLOWWAVE_{'.'.join(str(part) for part in problem['loc']).upper()}: {problem['msg']}"
                for problem in error.errors(include_input=False, include_url=False)
            ]
            raise Incorrect.listing(
                "the settings", problems, hint="mend the variables; `slowwave doctor` lists them all"
            ) from None


def secret(value: SecretStr | None) -> str | None:
    """Return the text of a secret setting, or None."""
    return value.get_secret_value() if value else None
