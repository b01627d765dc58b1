"""The rules of the shell policy as data, one file for each family of commands."""
