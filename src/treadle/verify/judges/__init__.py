"""Files and code that judge work: tests and their data, settings, helpers, assertions."""
