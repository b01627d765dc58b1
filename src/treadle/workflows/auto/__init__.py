"""The `auto` workflow: works through increments, in the order of what they depend on."""
