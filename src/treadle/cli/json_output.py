"""The JSON that commands print with --json: indented, times in UTC ending in `Z`."""

import orjson


def encode_json(document: object) -> bytes:
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z)
