"""Everything the engine stores, as JSON text: legible, and nothing that is run when it is read."""

import json
from typing import Any

from dbos import Serializer

from treadle.durable.carried import Unstored


class JsonText(Serializer):
    """Never pickle: who can write the database must not be able to run code by it.

    No error is ever stored either: what failed is acted again, not remembered.
    """

    def serialize(self, data: Any) -> str:
        if isinstance(data, Exception):
            raise Unstored(data)
        return json.dumps(data, separators=(",", ":"))

    def deserialize(self, serialized_data: str) -> Any:
        return json.loads(serialized_data)

    def name(self) -> str:
        return "treadle_json"
