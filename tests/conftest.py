"""What all tests share: the scripted API, as users get it for their own tests."""

pytest_plugins = ["treadle.rehearsal.fixtures"]
