from __future__ import annotations

from driftgate.insides.siblings import disagreements
from surface.sources import one_module

FAMILY = """
class Base:
    def check(self, size, hint=None): ...
    def destroy(self): ...
class One(Base):
    def __init__(self, a): ...
    def check(self, size, hint=None): ...
class Two(Base):
    def __init__(self, b): ...
    def check(self, size, {name}=0): ...
    @staticmethod
    def bytes(size): ...
class Stranger:
    def check(self): ...
"""
WATCHED = ("pkg:Base", "pkg:One", "pkg:Two", "pkg:Stranger")


def test_a_method_with_other_parameters_in_a_sibling_is_found() -> None:
    """Constructors differ on purpose, and a class without the base is no sibling."""
    [found] = disagreements(one_module(FAMILY.format(name="strategy"), *WATCHED))

    assert (found.base, found.method) == ("pkg:Base", "check")
    assert found.spellings == {
        "Base": "size, hint",
        "One": "size, hint",
        "Two": "size, strategy",
    }


def test_siblings_that_agree_are_not_found() -> None:
    """Defaults may differ; names and order may not."""
    assert disagreements(one_module(FAMILY.format(name="hint"), *WATCHED)) == []
