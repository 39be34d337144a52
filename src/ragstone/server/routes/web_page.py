"""The web page: its files, and the policy that keeps anything else out of it."""

from functools import cache
from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import RedirectResponse, Response

from ragstone.server.errors import NotFound

router = APIRouter(include_in_schema=False)

INDEX = "index.html"
MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


@cache
def load_files() -> dict[str, bytes]:
    """The files of the page by their names."""
    folder = files("ragstone.server") / "web"
    return {one.name: one.read_bytes() for one in folder.iterdir() if one.name.rpartition(".")[2] in MEDIA_TYPES}


@router.get("/")
async def redirect_to_page() -> Response:
    """The way to the page; relative, so that it also holds behind a proxy that adds a prefix."""
    return RedirectResponse("ui/")


@router.get("/ui")
async def redirect_to_folder() -> Response:
    """The page's files are named beside it."""
    return RedirectResponse("ui/")


@router.get("/ui/{name:path}")
async def send_file(name: str) -> Response:
    """A file of the page."""
    data = load_files().get(name or INDEX)
    if data is None:
        raise NotFound(f"unknown page {name!r:.80}")
    return Response(data, media_type=MEDIA_TYPES[(name or INDEX).rpartition(".")[2]], headers=HEADERS)
