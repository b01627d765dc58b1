"""Programs that help to read a shell line."""
