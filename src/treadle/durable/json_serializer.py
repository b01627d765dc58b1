"""The engine's serializer: everything is stored as JSON text, nothing is pickled."""

import json
from typing import Any

from dbos import Serializer

from treadle.durable.workflow_errors import StoreBypassError


class JsonSerializer(Serializer):
    """Never pickle: who can write the database must not be able to run code by it.

    No error is ever stored either: what failed is acted again, not remembered.
    """

    def serialize(self, data: Any) -> str:
        if isinstance(data, Exception):
            raise StoreBypassError(data)
        return json.dumps(data, separators=(",", ":"))

    def deserialize(self, serialized_data: str) -> Any:
        return json.loads(serialized_data)

    def name(self) -> str:
        return "treadle_json"
