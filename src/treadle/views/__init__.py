"""Pure folds of the event log into what a person reads. Terminal, page and report draw them."""
