"""An issuer of tokens for tests: its keys, its tokens, and a server that gives its public keys."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

ISSUER, AUDIENCE = "https://login.example.org", "ragstone"
RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())


def claims(**changes: Any) -> dict[str, Any]:
    """Those of a good token; None leaves one out."""
    now = datetime.now(UTC)
    good: dict[str, Any] = {"iss": ISSUER, "aud": AUDIENCE, "exp": now + timedelta(hours=1), "sub": "alice"}
    good |= {"tenant": "acme", "role": "read", **changes}
    return {name: value for name, value in good.items() if value is not None}


def token(key: Any = RSA_KEY, algorithm: str = "RS256", kid: str | None = "one", **changes: Any) -> str:
    """A signed token."""
    return jwt.encode(claims(**changes), key, algorithm=algorithm, headers={"kid": kid} if kid else {})


def pem(key: Any = RSA_KEY) -> str:
    """The public key as PEM."""
    form = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return str(key.public_key().public_bytes(*form).decode())


def jwk(key: Any, kid: str, **more: str) -> dict[str, Any]:
    """The public key as it stands in a JWKS."""
    kind = RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else ECAlgorithm
    return {**kind.to_jwk(key.public_key(), as_dict=True), "kid": kid, **more}


@dataclass
class Site:
    """What a server of keys gives, and how often it was asked."""

    url: str
    keys: list[dict[str, Any]] = field(default_factory=list)
    status: int = 200
    body: bytes | None = None
    redirect: str | None = None
    asked: int = 0


@contextmanager
def serving(*keys: dict[str, Any]) -> Iterator[Site]:
    """A local server of a JWKS."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked += 1
            self.send_response(302 if site.redirect else site.status)
            if site.redirect:
                self.send_header("Location", site.redirect)
            self.end_headers()
            self.wfile.write(json.dumps({"keys": site.keys}).encode() if site.body is None else site.body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site = Site(f"http://127.0.0.1:{server.server_address[1]}/jwks.json", list(keys))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
