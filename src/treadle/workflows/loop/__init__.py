"""What all workflows share: the loop, its steps, the workspace and the questions of a run."""
