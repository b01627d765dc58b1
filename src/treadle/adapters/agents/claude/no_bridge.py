"""Stands for the SDK's server of tools where the SDK is loaded without it (`tool_requests.py`)."""

from typing import Any


class SdkMcpBridge:
    """Made for each server that a session gives to the SDK, and ours gives none."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise RuntimeError("tools are not served by the SDK here: see tool_requests.py")
