"""Reaching a Postgres: the one the settings name, or the embedded one; and what it is to run."""

from slowwave.domain.job_table import BUILT_IN
from slowwave.errors import Incorrect
from slowwave.rules.lifecycle import choose_lifecycle
from slowwave.rules.policies import CADENCES, find_policy, load_cadences
from slowwave.settings import Settings, secret
from slowwave.store.database import engine
from slowwave.store.migrate import migrate
from slowwave.store.packs.registry import registered_by
from slowwave.wiring.installed import installed
from slowwave.wiring.packs import entries, install
from slowwave.wiring.parts import Parts
from slowwave.wiring.recasting import places_of_packs, refuse


def migrate_database(owner_url: str) -> None:
    """Bring the schema up to date. *owner_url* connects as slowwave_owner."""
    owner = engine(owner_url, pool_size=1)
    try:
        migrate(owner)
    finally:
        owner.dispose()


def connect(settings: Settings) -> Parts:
    """Return the parts of a process that reaches the Postgres of the settings. Raises `Incorrect` without one."""
    url = secret(settings.url)
    if url is None:
        raise Incorrect("SLOWWAVE_URL is not set", hint="start the embedded services with `slowwave up`")
    if settings.preset is not None:
        choose_lifecycle(settings.preset, settings.rules)  # which refuses one that is not there before it is needed
    parts = Parts(settings, url, secret(settings.broker_url))
    _ = parts.database  # which opens nothing, and refuses what is no address
    return parts


def open_parts(settings: Settings, *, redis: bool = False) -> Parts:
    """Return the parts of a process, on the embedded services where the settings name no Postgres.

    The embedded ones are started, migrated and given their packs when nobody runs them, else joined. *redis* starts
    the broker too; one that runs is joined in any case.
    """
    if settings.url is not None:
        return connect(settings)
    from slowwave.embedded import EmbeddedServices, RedisServer

    running = RedisServer(settings.home.resolve() / "redis").pid is not None
    services = EmbeddedServices.start(settings.home, redis=redis or running, cache_bytes=settings.cache_bytes)
    try:
        migrate_database(services.owner_url)
        parts = Parts(settings, services.url, secret(settings.broker_url) or services.broker_url, services)
        register_if_new(parts)
    except BaseException:
        services.stop()
        raise
    return parts


def join_embedded(settings: Settings) -> Parts | None:
    """Return the parts of a process on the embedded services if they run; None, and nothing is started, if not."""
    from slowwave.embedded import PostgresServer, RedisServer

    home = settings.home.resolve()
    postgres, redis = PostgresServer(home / "postgres"), RedisServer(home / "redis")
    if postgres.pid is None:
        return None
    broker = secret(settings.broker_url) or (redis.broker_url if redis.pid is not None else None)
    return Parts(settings, postgres.url(), broker)


def register_if_new(parts: Parts) -> None:
    """Register unless this very installation did it last: to read its packs takes longer than most commands take."""
    digest = installed(parts.settings)
    with parts.database.dispatch() as connection:
        last = registered_by(connection)
    if last != digest:
        register(parts, digest)


def register(parts: Parts, digest: bytes | None = None) -> None:
    """Make the database run the packs and schedules that are installed here; *digest* tells the installation again.

    Raises `Incorrect` where one gives a predicate of which facts are held another number of values.
    """
    cadences = load_cadences(
        find_policy(CADENCES, parts.settings.rules), [*(pack.pack for pack in parts.packs), *parts.models]
    )
    packs: list[object] = [*parts.packs, *parts.models.values()]
    refuse(parts.database, packs)
    entered = entries(parts.packs, cadences, BUILT_IN, parts.lifecycle, parts.models.values())
    install(parts.database, entered, parts.lifecycle.policies, places_of_packs(packs), digest)


def register_watched(parts: Parts) -> None:
    """Make the database run what the files say; a pack that was never sound here stays as it was registered."""
    parts.take_up()
    packs, schedules = entries(
        parts.watched.packs.values(), parts.watched.cadences, BUILT_IN, parts.lifecycle, parts.models.values()
    )
    kept, kept_schedules = parts.schedule.registered(parts.watched.unread)
    places = places_of_packs([*parts.watched.packs.values(), *parts.models.values()])
    install(parts.database, ([*packs, *kept], [*schedules, *kept_schedules]), parts.lifecycle.policies, places)
