"""Settings of the whole suite: property tests draw the same examples every time, so a failure can be met again."""

from hypothesis import settings

settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")
