"""Postgres and Redis from wheels, started and stopped automatically, without a container or a TCP port."""

from slowwave.embedded_services.postgres import PostgresServer
from slowwave.embedded_services.redis import CacheServer, RedisServer
from slowwave.embedded_services.server import Server
from slowwave.embedded_services.services import EmbeddedServices

__all__ = ["CacheServer", "EmbeddedServices", "PostgresServer", "RedisServer", "Server"]
