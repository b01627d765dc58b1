"""The rules of the shell policy, one file for each family of commands; data and its language."""
