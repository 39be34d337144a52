"""The reference of the API: Swagger UI over the description of this server, without anything from elsewhere."""

from functools import cache
from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import RedirectResponse, Response

from ragstone.server.routes.web_page import POLICY, respond_with_file

router = APIRouter(include_in_schema=False)

OWN = "index.html", "reference.js"
OF_LIBRARY = "swagger-ui.css", "swagger-ui-bundle.js"
# Swagger UI sets styles in its elements, draws its signs as data, and makes markup of what it read.
LOOSER = (
    POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
    .replace("img-src 'self'", "img-src 'self' data:")
    .replace("; require-trusted-types-for 'script'", "")
)


@cache
def load_reference_files() -> dict[str, bytes]:
    """The files of the reference by their names."""
    own, library = files("ragstone.server") / "reference", files("fastapi_offline") / "static"
    return {name: (own / name).read_bytes() for name in OWN} | {
        name: (library / name).read_bytes() for name in OF_LIBRARY
    }


@router.get("/docs")
async def redirect_to_reference() -> Response:
    """The files are named beside the page; relative, so that it also holds behind a proxy that adds a prefix."""
    return RedirectResponse("docs/")


@router.get("/docs/{name:path}")
async def send_reference_file(name: str) -> Response:
    """A file of the reference."""
    return respond_with_file(load_reference_files(), name, LOOSER)
