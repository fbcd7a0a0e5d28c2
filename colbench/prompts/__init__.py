"""Prompts: our own words as files, and the files that users bring."""

from colbench.prompts.loading import PLACEHOLDERS, Prompt, load_prompt

__all__ = ["PLACEHOLDERS", "Prompt", "load_prompt"]
