"""The project's tests: how they are run and compared with the baseline."""
