"""The disks that a run writes to: how much is free, and how much it takes."""
