"""Shell lines read: by two parsers that must agree on every command in them. Pure."""
