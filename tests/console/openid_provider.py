"""A provider of OpenID Connect on loopback: discovery, authorization code, token, keys. Whoever comes is `user`, at once."""

import base64
import json
import secrets
import subprocess
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.stack.authority import run_openssl

CLIENT, SECRET = "recaudo-console", "the-secret-of-this-client"
TOKEN_LIFE = 300  # seconds
EXPONENT = "AQAB"  # 65537


def coded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class Key:
    """An RSA key in a file, and what others may know of it."""

    def __init__(self, directory: Path, name: str) -> None:
        self.path = directory / f"{name}.key"
        run_openssl(directory, "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", self.path.name)
        said = subprocess.run(["openssl", "rsa", "-in", self.path, "-noout", "-modulus"], capture_output=True, text=True, check=True)
        self.modulus = bytes.fromhex(said.stdout.strip().removeprefix("Modulus="))

    def sign(self, content: bytes) -> bytes:
        return subprocess.run(["openssl", "dgst", "-sha256", "-sign", self.path], input=content, capture_output=True, check=True).stdout


class Provider:
    """What it says of `user` in an ID token; `claims` and `header` change it, and `key` signs it."""

    def __init__(self, directory: Path) -> None:
        self.published, self.other = Key(directory, "published"), Key(directory, "other")
        self.codes: dict[str, dict[str, str]] = {}
        self.be("nobody")
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever)

    def be(self, user: str, claims: dict[str, Any] | None = None, header: dict[str, Any] | None = None, key: Key | None = None) -> None:
        self.user, self.claims, self.header, self.key = user, claims or {}, header or {}, key or self.published

    def __enter__(self) -> "Provider":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def discovery(self) -> dict[str, Any]:
        return {"issuer": self.issuer, "authorization_endpoint": f"{self.issuer}/authorize", "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys", "response_types_supported": ["code"], "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"], "scopes_supported": ["openid", "email"],
                "token_endpoint_auth_methods_supported": ["client_secret_basic"]}

    def keys(self) -> dict[str, Any]:
        return {"keys": [{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "1", "n": coded(self.published.modulus), "e": EXPONENT}]}

    def authorize(self, asked: dict[str, str]) -> str:
        """Where the browser goes back to."""
        code = secrets.token_urlsafe()
        self.codes[code] = asked
        return asked["redirect_uri"] + "?" + urllib.parse.urlencode({"code": code, "state": asked["state"]})

    def token(self, fields: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """None: the client or the code is wrong; a code is good for once."""
        login = "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        asked = self.codes.pop(fields.get("code", ""), None)
        if asked is None or authorization != login or fields.get("redirect_uri") != asked["redirect_uri"]:
            return None
        return {"access_token": secrets.token_urlsafe(), "token_type": "Bearer", "expires_in": TOKEN_LIFE, "id_token": self.id_token(asked)}

    def id_token(self, asked: dict[str, str]) -> str:
        now = int(time.time())
        claims = {"iss": self.issuer, "sub": f"subject of {self.user}", "aud": CLIENT, "iat": now, "exp": now + TOKEN_LIFE,
                  "nonce": asked.get("nonce", ""), **({"email": self.user} if "email" in asked["scope"].split() else {}), **self.claims}
        header = {"alg": "RS256", "kid": "1", "typ": "JWT", **self.header}
        signed = ".".join(coded(json.dumps(part).encode()) for part in (header, claims))
        return signed + "." + coded(self.key.sign(signed.encode()))


def _handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            address = urllib.parse.urlsplit(self.path)
            if address.path == "/authorize":
                self.send_response(302)
                self.send_header("Location", provider.authorize(dict(urllib.parse.parse_qsl(address.query))))
                self.send_header("Content-Length", "0")
                self.end_headers()
            else:
                pages = {"/.well-known/openid-configuration": provider.discovery, "/keys": provider.keys}
                self.answer(200 if address.path in pages else 404, pages.get(address.path, dict)())

        def do_POST(self) -> None:
            fields = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
            token = provider.token(fields, self.headers.get("Authorization", ""))
            self.answer(400 if token is None else 200, token or {"error": "invalid_grant"})

        def answer(self, status: int, content: dict[str, Any]) -> None:
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
