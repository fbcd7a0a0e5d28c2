"""Tasks: the published record format, where they come from, and sets of them that print nothing hidden."""

from colbench.tasks.loading import load_task_file, load_tasks
from colbench.tasks.schema import BackendTask, Decision, DecisionOption, FrontendTask, ProceduralRecord, Task
from colbench.tasks.taskset import TaskSet, task_from_record

__all__ = [
    "BackendTask",
    "Decision",
    "DecisionOption",
    "FrontendTask",
    "ProceduralRecord",
    "Task",
    "TaskSet",
    "load_task_file",
    "load_tasks",
    "task_from_record",
]
