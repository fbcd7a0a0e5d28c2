"""The leaderboard: nothing is believed that was not graded again from the dialogue.

Submissions are folders (``submission.yaml`` and ``trajectories.jsonl``) or agents to be run; boards say what may be
compared with what; a static site shows the entries. Commands: ``python -m leaderboard --help``.
"""

__all__: list[str] = []
