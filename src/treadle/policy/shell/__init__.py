"""Shell lines: read by two parsers that must agree, then judged command by command. Pure."""
