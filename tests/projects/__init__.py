"""Real projects with real package managers, from `treadle init` to landed work."""
