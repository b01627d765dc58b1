"""Manifests that are product and judge: what is taken from the base, what from the work."""
