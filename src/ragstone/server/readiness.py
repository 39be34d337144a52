"""Whether a server should get questions now, for those who ask before they send some."""

from starlette.requests import Request

from ragstone.core.errors import StoreError
from ragstone.server.startup import Startup
from ragstone.server.state import state_of

STARTING = "starting"


async def find_obstacle(request: Request) -> str | None:
    """Why this server should get no questions now, as a code; None where it serves."""
    startup: Startup | None = request.app.state.startup
    if startup is not None and startup.waits_for is not None:
        return STARTING
    state = state_of(request)
    return StoreError.code if await state.probe.find_problem(state) else None
