"""Hypothesis profiles: ``ci`` asks the same questions in every run, ``deep`` many new ones."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_SHARED = settings(
    deadline=None,  # a busy machine is no finding
    database=None,  # children are forked, and share no files
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("ci", _SHARED, max_examples=60, derandomize=True)
settings.register_profile("deep", _SHARED, max_examples=3000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
