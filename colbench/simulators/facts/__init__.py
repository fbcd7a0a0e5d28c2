"""Facts drawn from the syntax tree of a reference function, in plain words and without code."""

from colbench.simulators.facts.extract import facts_of, read_reference
from colbench.simulators.facts.model import Fact, FactSheet

__all__ = ["Fact", "FactSheet", "facts_of", "read_reference"]
