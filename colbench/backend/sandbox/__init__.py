"""Runs Python that nobody trusts: workers in namespaces, one process per candidate, only typed bytes come back."""
