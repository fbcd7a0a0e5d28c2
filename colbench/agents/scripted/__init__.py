"""Agents without a model: bounds, baselines and a source of training data whose values are known exactly."""

from colbench.agents.scripted.asking import Explorer, Impatient, Interviewer
from colbench.agents.scripted.bounds import Oracle, Silent
from colbench.agents.scripted.policies import ExplorerPolicy, ImpatientPolicy, InterviewerPolicy, SilentPolicy

__all__ = [
    "Explorer",
    "ExplorerPolicy",
    "Impatient",
    "ImpatientPolicy",
    "Interviewer",
    "InterviewerPolicy",
    "Oracle",
    "Silent",
    "SilentPolicy",
]
