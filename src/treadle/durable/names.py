"""Names in the engine's database. Never change one: stored runs would be lost."""

APPLICATION = "treadle"

# The schema of the tables on PostgreSQL.
SCHEMA = "dbos"

# Constant on purpose: the engine ignores workflows of another version. Changes go by `patched`.
VERSION = "treadle-1"

# The only workflow registered in the engine; its first argument names the function to run.
WORKFLOW = "treadle.story"
