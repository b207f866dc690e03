"""Sends requests to a server and reads its refusals. Standard library only."""

from __future__ import annotations

import json
import socket
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Dict, Mapping, Optional, Type

# The most bytes of an answer.
MOST = 64 << 20


class SatchelError(Exception):
    """A refusal, or a request that got no answer.

    str() says what is wrong and what to do. code is that of the protocol, such as
    "not_found" or "rate_limited"; "timeout" and "unreachable" are of this client.
    """

    def __init__(
        self,
        code: str,
        message: str,
        status: int = 0,
        retry_after: Optional[float] = None,
        details: Optional[Dict[str, Any]] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status  # of HTTP; 0: there was no answer
        self.retry_after = retry_after  # seconds after which a retry may help; None: it does not
        self.details = details or {}


class Unauthorized(SatchelError):
    """The token is missing, wrong or expired: ask the owner for one."""


class Forbidden(SatchelError):
    """The token does not allow it: ask the owner for one that does."""


class NotFound(SatchelError):
    """There is no such thing for this caller."""


class InvalidRequest(SatchelError):
    """The request breaks a rule: details say which, and where."""


class TryLater(SatchelError):
    """Too much at once, or temporarily unavailable: wait as retry_after says."""


class ServerFailed(SatchelError):
    """Something went wrong at the server: its log says what."""


class NoAnswer(SatchelError):
    """The server was not reached, or did not answer in time."""


def path(template: str, value: str) -> str:
    """Returns a path with a value in the place of its parameter."""
    before, rest = template.split("{", 1)
    return before + urllib.parse.quote(value, safe="") + rest.split("}", 1)[1]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, so that the token reaches no other server."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Core:
    """Sends requests to one server."""

    def __init__(self, url: str = "http://127.0.0.1:7777", token: Optional[str] = None, timeout: float = 30.0) -> None:
        """token is the owner's, or one that satchel token mint made. timeout is in seconds."""
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError("url is the address of the server, such as http://127.0.0.1:7777")
        self._url = url.rstrip("/")
        self._token = token
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirects, urllib.request.ProxyHandler({}))

    def ask(
        self,
        method: str,
        where: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        key: Optional[str] = None,
    ) -> Any:
        """Sends a request and returns its answer, or raises SatchelError."""
        given = {name: value for name, value in (query or {}).items() if value is not None}
        address = self._url + where
        if given:
            address += "?" + urllib.parse.urlencode(given, doseq=True)
        headers = {"Accept": "application/json"}
        if self._token:
            headers["Authorization"] = "Bearer " + self._token
        if key is not None:
            headers["Idempotency-Key"] = key
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body, ensure_ascii=False).encode("utf-8")
        request = urllib.request.Request(address, data=data, headers=headers, method=method)
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                return _parsed(answer.read(MOST + 1))
        except urllib.error.HTTPError as refusal:
            with refusal:
                raise _refused(refusal.code, refusal.headers, refusal.read(MOST)) from None
        except (socket.timeout, TimeoutError) as late:
            raise NoAnswer("timeout", "the server did not answer within %g seconds" % self._timeout) from late
        except OSError as unreachable:
            if isinstance(getattr(unreachable, "reason", None), (socket.timeout, TimeoutError)):
                raise NoAnswer("timeout", "the server did not answer within %g seconds" % self._timeout) from unreachable
            said = "the server at %s cannot be reached; satchel serve starts one" % self._url
            raise NoAnswer("unreachable", said) from unreachable


def _parsed(body: bytes) -> Any:
    if len(body) > MOST:
        raise ServerFailed("too_large", "the answer is larger than this client takes")
    try:
        return json.loads(body)
    except ValueError as broken:
        raise ServerFailed("not_json", "the answer is no JSON: something else than Satchel answers there") from broken


def _refused(status: int, headers: Any, body: bytes) -> SatchelError:
    try:
        said = json.loads(body)["error"]
        code, message, details = str(said["code"]), str(said["message"]), said.get("details")
    except (ValueError, KeyError, TypeError):
        code, message, details = "http_%d" % status, "the server answers with status %d" % status, None
    kinds: Dict[int, Type[SatchelError]] = {401: Unauthorized, 403: Forbidden, 404: NotFound, 429: TryLater, 503: TryLater}
    kind = kinds.get(status, ServerFailed if status >= 500 else InvalidRequest)
    try:
        wait: Optional[float] = float(headers.get("Retry-After"))
    except (TypeError, ValueError):
        wait = None
    return kind(code, message, status, wait, details if isinstance(details, dict) else None)
