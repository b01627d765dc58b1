"""What confines a process: bubblewrap on Linux, seatbelt on macOS, nothing when asked for."""
