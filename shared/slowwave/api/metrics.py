"""Metrics of all tenants for Prometheus, which only a key of the installation's own tenant may read."""

from fastapi import APIRouter, Request, Response

from slowwave.api.access import Operating, Remembering
from slowwave.api.problems import documented
from slowwave.errors import Forbidden
from slowwave.memory.metrics import CONTENT_TYPE, Exposition
from slowwave.memory.verb_group import parts_of

router = APIRouter(tags=["health"])


@router.get(
    "/metrics", summary="Metrics of the installation, for Prometheus", response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **documented(401, 403, 429, 500, 503)},
)  # fmt: skip
def metrics(request: Request, memory: Remembering, caller: Operating) -> Response:
    """Return the output of `slowwave metrics`; needs a key with `operate` of the tenant in SLOWWAVE_TENANT."""
    parts = parts_of(memory)
    if caller.tenant != parts.settings.tenant:
        raise Forbidden("metrics cover all tenants", hint="use a key of the tenant that SLOWWAVE_TENANT names")
    state = request.app.state
    if not hasattr(state, "exposition"):
        state.exposition = Exposition(parts)
    exposition: Exposition = state.exposition
    return Response(exposition.text(), media_type=CONTENT_TYPE)
