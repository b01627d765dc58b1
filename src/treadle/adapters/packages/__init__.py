"""Where packages come from on this machine, by the word of the user's own package tools."""
