"""What one can do with a run. Plain values in, plain values out; nothing prints."""
