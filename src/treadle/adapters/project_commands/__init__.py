"""Commands of the project that Treadle runs itself: its setup, its checks, its tests."""
