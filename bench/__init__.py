"""What Treadle costs next to what it drives, measured on this machine: `python -m bench`."""
