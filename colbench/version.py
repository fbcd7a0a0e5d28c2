"""The one place that holds the version of the suite."""

__version__ = "0.1.0"
