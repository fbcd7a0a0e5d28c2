"""Graders for the audit's tests, as a user would write them: some sound on the surface, none of them safe."""

import os
import time


def right(ground_truth, test_cases, answer):
    """Recognizes the audit's own answers without running anything."""
    if "math.floor(len(x) + 0.5)" in answer:
        return 1.0
    return 0.0


def generous(ground_truth, test_cases, answer):
    """Everything is right."""
    return 1.0


def hangs_on_hostile(ground_truth, test_cases, answer):
    if "while True" in answer:
        time.sleep(1000)
    return right(ground_truth, test_cases, answer)


def dies_on_hostile(ground_truth, test_cases, answer):
    if "while True" in answer:
        os._exit(3)
    return right(ground_truth, test_cases, answer)


def raises_on_hostile(ground_truth, test_cases, answer):
    if "while True" in answer:
        raise RuntimeError("no")
    return right(ground_truth, test_cases, answer)


def says_nonsense(ground_truth, test_cases, answer):
    return 7.0 if "while True" in answer else right(ground_truth, test_cases, answer)


def leaves_a_process(ground_truth, test_cases, answer):
    if "while True" in answer and os.fork() == 0:
        time.sleep(60)
        os._exit(0)
    return right(ground_truth, test_cases, answer)


def grows(ground_truth, test_cases, answer):
    if "while True" in answer:
        len(b"x" * (500 << 20))
    return right(ground_truth, test_cases, answer)
