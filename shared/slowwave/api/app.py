"""`create_app`: the function that makes the HTTP API of one memory."""

from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from fastapi import FastAPI

from slowwave.api import problems
from slowwave.api.access import Authentication
from slowwave.api.responses import SizeLimit
from slowwave.api.routes import push
from slowwave.api.routes.beliefs import beliefs_router, feedback_router, goals_router
from slowwave.api.routes.deltas import delta_stream_router, webhooks_router
from slowwave.api.routes.operations import canaries_router, health_router, metrics_router, operating_router
from slowwave.api.routes.recall import recall_router, staged_search_router
from slowwave.api.routes.undoing import erasing_router, undoing_router
from slowwave.api.viewer import Sessions, guests, viewer
from slowwave.memory import Memory
from slowwave.memory.operations import Access
from slowwave.memory.verb_group import parts_of

ROUTERS = [
    metrics_router, health_router, push.router, recall_router, beliefs_router, goals_router, feedback_router,
    undoing_router, canaries_router, erasing_router, operating_router, staged_search_router, delta_stream_router,
    webhooks_router,
]  # fmt: skip


def create_app(memory: Memory, *, keyless: bool = False, sessions: Sessions | None = None) -> FastAPI:
    """Return the API of *memory*. The caller must close the memory.

    Clients need a key of `slowwave keys create`, which belongs to one tenant. With *keyless*, programs on this host
    need no key, and act in the tenant of the settings. Use *keyless* only in embedded mode. Processes that serve the
    same address share the *sessions* of the viewer. Add more routes with `include_router`.
    """
    app = FastAPI(
        title="Slowwave", version=version("slowwave"),
        description="Long-term memory for AI agents: episodes in, facts with sources out.",
    )  # fmt: skip
    most = parts_of(memory).settings.api_body_bytes
    app.state.memory, app.state.most_bytes = memory, most
    app.state.door = Authentication(Access(parts_of(memory)), keyless=keyless)
    problems.install(app)
    app.add_middleware(SizeLimit, most=most, streams=[push.STREAM])
    for router in ROUTERS:
        app.include_router(router)
    app.include_router(viewer(memory, None if keyless else guests(app.state.door.access), sessions=sessions))
    if find_spec("mcp") is not None:
        from slowwave.api.mcp import http_transport

        http_transport.mount(app)
    app.openapi = lambda: _document(app)  # type: ignore[method-assign]  # FastAPI's own way to add to the document
    return app


def _document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document. It includes the schema `Problem`, which FastAPI leaves out."""
    if app.openapi_schema is None:
        document = _with_fractions(FastAPI.openapi(app))
        schemas = document.setdefault("components", {}).setdefault("schemas", {})
        schemas["Problem"] = problems.Problem.model_json_schema(mode="serialization")
    assert app.openapi_schema is not None
    return app.openapi_schema


def _with_fractions(schema: Any) -> Any:
    """Replace the format `duration` in *schema* with `iso-8601-duration`, which allows fractions; return the schema."""
    if isinstance(schema, dict):
        if schema.get("format") == "duration":
            schema["format"], schema["description"] = "iso-8601-duration", "a duration, like PT1.5S"
        for part in schema.values():
            _with_fractions(part)
    elif isinstance(schema, list):
        for part in schema:
            _with_fractions(part)
    return schema
