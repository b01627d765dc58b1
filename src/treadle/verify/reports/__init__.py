"""Reports of test runners and coverage tools, and how runners print their results."""
