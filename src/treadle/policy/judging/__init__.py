"""Shell lines judged: every command in one, by the rules of `commands`, the paths it touches and
the place it runs in. Pure."""
