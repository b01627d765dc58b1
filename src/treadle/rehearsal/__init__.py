"""Rehearsals: a scripted Messages API on loopback, and the language its scripts are written in."""
