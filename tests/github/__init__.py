"""A stateful GitHub on loopback, held to GitHub's own schema, and what is tested against it."""
