"""Procedural backend tasks: unlimited, seeded, and with decisions that are known to matter."""

from colbench.tasks.procedural.family import Combination, Family, Limits, Split, decision, facts_in, template_family
from colbench.tasks.procedural.generator import generate_task, procedural_tasks, task_from_id
from colbench.tasks.procedural.identifiers import GENERATOR_VERSION, TaskIdentifier
from colbench.tasks.procedural.registry import backend_families, family_named, family_of, register
from colbench.tasks.procedural.template import Code, Template

__all__ = [
    "GENERATOR_VERSION",
    "Code",
    "Combination",
    "Family",
    "Limits",
    "Split",
    "TaskIdentifier",
    "Template",
    "backend_families",
    "decision",
    "facts_in",
    "family_named",
    "family_of",
    "generate_task",
    "procedural_tasks",
    "register",
    "task_from_id",
    "template_family",
]
