"""Trackers: where tasks come from. A file for each."""
