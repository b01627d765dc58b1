"""The pinned tree of a command: the work with the judges of the base."""
