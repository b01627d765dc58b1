"""Checks as people write, edit and run them again."""
