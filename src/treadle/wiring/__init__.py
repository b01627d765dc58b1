"""Turns settings into objects, one file per part. The only layer that names concrete adapters."""
