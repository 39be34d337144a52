"""Whether a server serves others beside odd clients: idle connections, slow bodies, floods of headers, huge and
broken bodies.

    ragstone serve --port 8080 --store STORE
    python benchmarks/serving/hostile.py 8080 [--idle N] [--slow N]
"""

import argparse
import json
import resource
import socket
import time
import urllib.error
import urllib.request

HEAD = b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
BROKEN = (b"\xff\xfe{", b'{"query": "\xc3\x28"}', b"[1,2", b"null", b'"x"')


def main() -> None:
    """Print the seconds of two searches beside each kind of client, and what the odd ones got."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("port", type=int)
    parser.add_argument("--idle", type=int, default=10_000)
    parser.add_argument("--slow", type=int, default=500)
    given = parser.parse_args()
    port, hard = given.port, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(given.idle + given.slow + 100, hard), hard))
    print(f"alone: {_search(port)}, {_search(port)} s")
    held = [_connect(port) for _ in range(given.idle)]
    print(f"beside {given.idle} idle connections: {_search(port)}, {_search(port)} s")
    for _ in range(given.slow):
        held.append(_connect(port))
        held[-1].sendall(HEAD + b'Content-Length: 100\r\n\r\n{"q')
    print(f"and {given.slow} bodies that do not go on: {_search(port)}, {_search(port)} s")
    headers = b"".join(b"X-%d: %s\r\n" % (n, b"a" * 100) for n in range(20_000))
    print(f"20,000 headers: {_send(port, b'GET /v1/live HTTP/1.1' + bytes((13, 10)) + headers)}")
    print(f"a body of 1 GB: {_send(port, HEAD + b'Content-Length: 1000000000' + bytes((13, 10, 13, 10)))}")
    for body in BROKEN:
        print(f"the body {body!r}: {_post(port, body)}")
    print(f"afterwards: {_search(port)}, {_search(port)} s")
    for one in held:
        one.close()


def _connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def _search(port: int) -> float:
    start = time.perf_counter()
    _post(port, json.dumps({"query": "samples"}).encode())
    return round(time.perf_counter() - start, 3)


def _post(port: int, body: bytes) -> int:
    request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/search", body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            reply.read()
            return int(reply.status)
    except urllib.error.HTTPError as error:
        return error.code


def _send(port: int, data: bytes) -> str:
    with _connect(port) as line:
        try:
            line.sendall(data)
            return line.recv(100).split(b"\r\n")[0].decode()
        except OSError as error:
            return str(error)


if __name__ == "__main__":
    main()
