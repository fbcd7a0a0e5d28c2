"""Settings of the whole suite: property tests draw the same examples in every run, so that a failure can be met again."""

from hypothesis import settings

settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")
