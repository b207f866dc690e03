"""A client of Satchel: memory that its owner carries."""

from .api import Client
from .core import Forbidden, InvalidRequest, NoAnswer, NotFound, SatchelError, ServerFailed, TryLater, Unauthorized

__all__ = [
    "Client",
    "Forbidden",
    "InvalidRequest",
    "NoAnswer",
    "NotFound",
    "SatchelError",
    "ServerFailed",
    "TryLater",
    "Unauthorized",
]
