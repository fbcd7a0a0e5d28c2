"""ColBench: multi-turn collaboration as Gymnasium environments.

``import colbench`` registers ``ColBench-Backend-v0`` and ``ColBench-Frontend-v0``.
"""

from colbench.registration import register_envs
from colbench.version import __version__

__all__ = ["__version__", "register_envs"]

register_envs()
