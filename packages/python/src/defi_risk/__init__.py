"""A typed client of the DeFi risk data service, synchronous and asynchronous."""

from .answers import Answer, History
from .async_client import AsyncClient
from .client import Client
from .errors import (
    ApiError,
    ClientError,
    ConnectionFailed,
    GapError,
    InvalidAnswer,
    RefusedError,
    WebhookError,
)
from .retries import RetryRules
from .tables import to_arrow, to_pandas, to_polars
from .webhooks import check_secret, verify_webhook

__all__ = [
    "Answer",
    "ApiError",
    "AsyncClient",
    "Client",
    "ClientError",
    "ConnectionFailed",
    "GapError",
    "History",
    "InvalidAnswer",
    "RefusedError",
    "RetryRules",
    "WebhookError",
    "check_secret",
    "to_arrow",
    "to_pandas",
    "to_polars",
    "verify_webhook",
]
