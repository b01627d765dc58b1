"""The `watch` workflow: works off the items of a folder."""
