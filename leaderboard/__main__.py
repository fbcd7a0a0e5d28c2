"""``python -m leaderboard``."""

from leaderboard.cli import main

if __name__ == "__main__":
    main()
