"""The web page: its files, and the policy that keeps anything else out of it."""

from collections.abc import Mapping
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
    return respond_with_file(load_files(), name, POLICY)


def respond_with_file(known: Mapping[str, bytes], name: str, policy: str) -> Response:
    """One of the files of a page, the page itself without a name; raises `NotFound`."""
    name = name or INDEX
    if name not in known:
        raise NotFound(f"unknown page {name!r:.80}")
    headers = {**HEADERS, "Content-Security-Policy": policy}
    return Response(known[name], media_type=MEDIA_TYPES[name.rpartition(".")[2]], headers=headers)
