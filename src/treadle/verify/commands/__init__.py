"""What a shell line runs, loads and compares with: the files that a command depends on."""
