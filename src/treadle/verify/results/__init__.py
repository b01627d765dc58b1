"""Commands on committed trees: the port that runs them, and what a result says."""
