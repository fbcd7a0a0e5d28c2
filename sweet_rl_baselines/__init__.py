"""SWEET-RL and its baselines: reference trainers for ColBench (arXiv 2503.15478, section 4).

One module per algorithm: `critic`, `sweet` (the policy stage), `multi_turn_dpo`, `rejection_finetuning` and
`value_function`. They share `turns` (templates and masks), `losses` (pure functions), `logps` (log-probabilities) and
`training` (the loop). The command line is `sweet-rl`; a whole recipe is `sweet-rl run CONFIG.yaml`.
"""

from colbench.version import __version__

__all__ = ["__version__"]
