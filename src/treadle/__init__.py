"""Treadle keeps coding agents working unattended and brings back verified work."""
