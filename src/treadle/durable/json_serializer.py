"""The engine's serializer: everything is stored as JSON text, nothing is pickled."""

import json
from typing import Any

from dbos import Serializer

from treadle.durable.workflow_errors import StoreBypassError


class JsonSerializer(Serializer):
    """Uses no pickle: write access to the database must not allow running code.

    Errors are never stored, because a failed step is run again.
    """

    def serialize(self, data: Any) -> str:
        if isinstance(data, Exception):
            raise StoreBypassError(data)
        return json.dumps(data, separators=(",", ":"))

    def deserialize(self, serialized_data: str) -> Any:
        return json.loads(serialized_data)

    def name(self) -> str:
        return "treadle_json"
