"""The page about packages names every rule."""

from __future__ import annotations

import re

from driftgate.packages.rules import all_rules
from packages.pretended import PROJECT


def test_the_page_lists_every_rule_once() -> None:
    """In its table, and marks those that are risks."""
    page = (PROJECT.root / "docs" / "packages.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)`( \(risk\))? \|", page, flags=re.MULTILINE)

    assert sorted(listed) == sorted(
        (name, " (risk)" if rule.data.risk else "") for name, rule in all_rules().items()
    )
