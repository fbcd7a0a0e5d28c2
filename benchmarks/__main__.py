"""Runs every benchmark after another: ``python -m benchmarks [name ...]``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def main() -> int:
    """Run the benchmarks named on the command line, or all; returns the number that failed."""
    found = sorted(p.stem for p in Path(__file__).parent.glob("bench_*.py"))
    wanted = [n if n.startswith("bench_") else f"bench_{n}" for n in sys.argv[1:]] or found
    unknown = [n for n in wanted if n not in found]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are {', '.join(found)}", file=sys.stderr)
        return 2
    failed = 0
    for name in wanted:
        print(f"\n== {name} ==", flush=True)
        failed += subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
