"""What the paper reports (arXiv 2503.15478, Tables 2 and 4): numbers that we did not verify, in tables of their own."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["REPORTED", "ReportedTable"]


@dataclass(frozen=True)
class ReportedTable:
    """One table of the paper, in per cent.

    Attributes:
        title: which table, and of what.
        columns: names of the columns.
        rows: cells as text.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


_BASE = "Llama-3.1-8B-Instruct"
REPORTED = (
    ReportedTable(
        "Table 2: backend and frontend",
        ("Setting", "Model or method", "Calls passed", "Success", "Cosine", "Win rate against GPT-4o"),
        (
            ("single turn", _BASE, "11.8", "6.9", "63.1", "13.6"),
            ("single turn", "Llama-3.1-70B-Instruct", "24.2", "14.8", "61.8", "13.2"),
            ("single turn", "o1-mini", "22.4", "13.1", "70.2", "23.8"),
            ("single turn", "GPT-4o", "27.6", "16.2", "68.6", "23.8"),
            ("several turns", "Llama-3.1-70B-Instruct", "48.0", "35.0", "73.7", "39.8"),
            ("several turns", "GPT-4o", "54.6", "40.4", "78.1", "50.0"),
            ("several turns", "o1-mini", "43.2", "30.3", "77.5", "47.2"),
            ("several turns", f"{_BASE}, zero-shot", "34.2", "22.4", "72.4", "33.8"),
            ("several turns", f"{_BASE}, rejection fine-tuning", "40.9", "28.2", "75.2", "38.6"),
            ("several turns", f"{_BASE}, multi-turn DPO", "48.0", "34.4", "76.9", "42.8"),
            ("several turns", f"{_BASE}, SWEET-RL", "56.8", "40.4", "77.7", "48.2"),
        ),
    ),
    ReportedTable(
        "Table 4: backend, Llama-3.1-70B-Instruct trained on data of the 8B model",
        ("Method", "Calls passed", "Success"),
        (
            ("zero-shot", "48.0", "35.0"),
            ("rejection fine-tuning", "45.5", "31.9"),
            ("multi-turn DPO", "56.7", "41.8"),
            ("SWEET-RL", "60.2", "45.6"),
        ),
    ),
)
