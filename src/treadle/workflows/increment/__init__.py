"""The `increment` workflow: one increment of `auto`."""
