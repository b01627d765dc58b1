"""Rehearsals: a scripted Messages API on loopback, and the language of its scripts."""
