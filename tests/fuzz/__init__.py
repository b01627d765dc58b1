"""Random shell lines: what we read against what bash runs."""
