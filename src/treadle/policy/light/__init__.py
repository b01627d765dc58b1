"""The light policy: holds gates, secrets and protected paths; everything else runs. Pure."""
