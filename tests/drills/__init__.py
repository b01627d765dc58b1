"""Whole runs, graded: tricks that may not end as proven, and honest work that must."""
