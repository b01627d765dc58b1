"""Sandboxes: bubblewrap on Linux, seatbelt on macOS, and none for users who turn it off."""
