"""Finds the package indexes of this machine with the user's own package tools."""
