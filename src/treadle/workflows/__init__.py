"""One loop for all workflows, and one folder per workflow, which declares itself."""
