"""What the web page may load, and that its files are whole."""

import re

from ragstone.config.settings import Settings
from ragstone.server.routes.web_page import load_files
from tests.server.conftest import open_client


async def test_the_policy_lets_nothing_else_in(own: Settings) -> None:
    async with open_client(own) as client:
        assert (await client.get("/")).headers["location"] == "ui/"
        index = await client.get("/ui/")
        policy = index.headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';" in policy
        assert "unsafe" not in policy
        assert index.headers["referrer-policy"] == "no-referrer"
        for name in re.findall(r'(?:src|href)="([^"#]+)"', index.text):
            assert (await client.get(f"/ui/{name}")).status_code == 200
        assert (await client.get("/ui/../app.py")).status_code == 404
        assert (await client.get("/ui/none.js")).json()["error"]["code"] == "not_found"


def test_the_files_are_whole_and_make_no_markup_of_text() -> None:
    texts = {name: data.decode() for name, data in load_files().items()}
    assert {"index.html", "app.js", "style.css", "icon.svg"} <= set(texts)
    for name, text in texts.items():
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", text), name
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text), name
        for used in re.findall(r'from "\./(.+?)"', text):
            assert used in texts
    assert not re.search(r"<style|<script(?! type=\"module\" src=)|\son\w+=|\sstyle=", texts["index.html"])
