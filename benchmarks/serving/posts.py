"""Clients that send texts at once, beside questions: `python benchmarks/serving/posts.py [--clients 16] [--posts 10]`.

A server of its own over a folder that is removed at the end; each client sends one text after the other by
`POST /v1/texts`, to one of four sources; two others ask. Printed are seconds in all, the median and the longest of a
post and of a question, and how many were refused.
"""

import argparse
import asyncio
import tempfile
import time
from pathlib import Path
from statistics import median

import httpx2

from ragstone.config.serve_settings import LogSettings
from ragstone.config.settings import Settings
from ragstone.server.app import create_app

SOURCES, ASKERS, QUESTIONS = 4, 2, 20


async def send(client: httpx2.AsyncClient, path: str, body: dict[str, object], times: list[float]) -> bool:
    """Whether the server took it."""
    begun = time.perf_counter()
    reply = await client.post(path, json=body)
    times.append(time.perf_counter() - begun)
    return reply.is_success


async def measure(folder: Path, clients: int, posts: int) -> None:
    """Run it and print the table."""
    app = create_app(Settings(store=str(folder / "store"), log=LogSettings(queries=False, requests=False)))
    transport = httpx2.ASGITransport(app=app)
    posted, asked = list[float](), list[float]()
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://localhost", timeout=600) as client,
    ):
        await send(client, "/v1/texts", {"texts": {"first.md": "# First\n\nItem 0 costs 1 euro."}}, [])

        async def write(number: int) -> int:
            refused = 0
            for n in range(posts):
                text = f"# Item {number}-{n}\n\nItem {n} of customer {number} costs {n * number} euros."
                body = {"texts": {f"{number}/{n}.md": text}, "source": f"source-{number % SOURCES}"}
                refused += not await send(client, "/v1/texts", body, posted)
            return refused

        async def ask(number: int) -> int:
            refused = 0
            for n in range(QUESTIONS):
                body = {"query": f"How much does item {n} of customer {number} cost?"}
                refused += not await send(client, "/v1/ask", body, asked)
            return refused

        begun = time.perf_counter()
        refused = sum(await asyncio.gather(*map(write, range(clients)), *map(ask, range(ASKERS))))
        print(f"{len(posted)} posts by {clients} clients in {time.perf_counter() - begun:.1f} s, {refused} refused")
    for name, times in (("post", posted), ("question", asked)):
        print(f"a {name}: median {median(times):.2f} s, longest {max(times):.2f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--posts", type=int, default=10)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        asyncio.run(measure(Path(place), given.clients, given.posts))
