"""What all tests share: the scripted API as users get it, and no hurry for generated examples."""

from hypothesis import settings

pytest_plugins = ["treadle.rehearsal.fixtures", "tests.postgres"]

# How long one example takes depends on what else the machine does.
settings.register_profile("treadle", deadline=None)
settings.register_profile("fast", deadline=None, max_examples=20)
settings.register_profile("long", deadline=None, max_examples=2_000)
settings.load_profile("treadle")
