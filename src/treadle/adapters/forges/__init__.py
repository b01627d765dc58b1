"""Forges: where branches are pushed and pull requests are reviewed. A folder or file for each."""
