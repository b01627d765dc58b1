"""Programs that parse shell lines."""
