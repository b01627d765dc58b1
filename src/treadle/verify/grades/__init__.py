"""Who says that the work is done? Grades of checks, deliverables, test commands and runs."""
