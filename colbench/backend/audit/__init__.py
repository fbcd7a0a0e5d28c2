"""Attacks on graders, ours and others': what is tried, and whether it holds.

A grader that runs other people's code is trusted only as far as somebody has tried to cheat it. ``run_audit`` runs the
collection on any function that grades; ``docs/audit.md`` describes it.
"""

from colbench.backend.audit.attack import Attack
from colbench.backend.audit.auditor import OUR_GRADER, AttackResult, AuditReport, run_audit
from colbench.backend.audit.collection import ATTACKS, attacks_named

__all__ = ["ATTACKS", "OUR_GRADER", "Attack", "AttackResult", "AuditReport", "attacks_named", "run_audit"]
