"""Parses shell lines with two parsers that must agree on every command. Pure."""
