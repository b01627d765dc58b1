"""Names in the engine's database. Never change one: stored runs would be lost."""

APPLICATION = "treadle"

# Where the tables are on a server. SQLite has no schemas.
SCHEMA = "dbos"

# Constant on purpose: the engine leaves work of another version alone. Stories change by `patched`.
VERSION = "treadle-1"

# The one workflow that the engine knows; which story it tells is its first argument.
WORKFLOW = "treadle.story"
