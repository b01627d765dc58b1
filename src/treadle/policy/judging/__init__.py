"""Decides about shell lines by the rules of `commands`, the paths and the directory. Pure."""
