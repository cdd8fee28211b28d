"""The rows of ``matrix/incidents.toml``, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from driftgate.backtest.families import all_families, family_of
from driftgate.backtest.model import EVERY, Case, Control, Incident, Proof, Question
from driftgate.errors import InvalidDataError, UnknownNameError
from driftgate.toml import check, read_toml, rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from driftgate.paths import Project

_INCIDENT = {
    "id": str,
    "what": str,
    "refs": tuple[str, ...],
    "missed": str,
    "needs": str,
    "proof": Any,
}
_PROOF = {"contract": str, "bad": dict[str, Any], "good": dict[str, Any], "about": str}
_CONTROL = {"id": str, "what": str, "contract": str, "case": dict[str, Any]}
_ENDINGS = ("proof", "missed", "needs")


@dataclass(frozen=True)
class Backtest:
    """All rows of a file.

    Attributes:
        incidents: What must be caught.
        controls: What must not be flagged.
    """

    incidents: tuple[Incident, ...]
    controls: tuple[Control, ...]

    def ids(self) -> list[str]:
        """Return the names of all rows."""
        return [each.id for each in self.incidents] + [each.id for each in self.controls]

    def questions(self) -> list[Question]:
        """Return everything that has to be asked, each question once."""
        proofs = [proof for incident in self.incidents for proof in incident.proofs]
        asked = [
            Question(proof.contract, case) for proof in proofs for case in (proof.bad, proof.good)
        ]
        return list(dict.fromkeys([*asked, *(control.question for control in self.controls)]))


def read_backtest(path: Path, project: Project) -> Backtest:
    """Return the incidents and controls of a file, in its order.

    Raises:
        InvalidDataError: A row has an unknown key, lacks one, names a contract that its case is
            never judged by, or repeats an id.
    """
    document = read_toml(path)
    check(path, "the file", document, {"incident": Any, "control": Any})
    reader = _Reader(path, project)
    incidents = tuple(reader.incident(row) for row in rows(path, document, "incident"))
    controls = tuple(reader.control(row) for row in rows(path, document, "control"))
    backtest = Backtest(incidents, controls)
    ids = backtest.ids()
    for each in ids:
        if ids.count(each) > 1:
            raise InvalidDataError(path, f"two rows are named {each!r}", "rename one")
    if not ids:
        raise InvalidDataError(path, "no [[incident]] and no [[control]] row", "add one")
    return backtest


@dataclass(frozen=True)
class _Reader:
    path: Path
    project: Project

    def incident(self, row: dict[str, Any]) -> Incident:
        where = f"incident {row.get('id', '?')!r}"
        check(self.path, where, row, _INCIDENT, ("id", "what"))
        if sum(bool(row.get(each)) for each in _ENDINGS) != 1:
            remedy = "give it proofs, or say why it is missed, or what it needs"
            raise InvalidDataError(self.path, f"{where} must have one of {_ENDINGS}", remedy)
        return Incident(
            row["id"],
            row["what"],
            tuple(row.get("refs", ())),
            tuple(self._proofs(where, row)),
            row.get("missed", ""),
            row.get("needs", ""),
        )

    def control(self, row: dict[str, Any]) -> Control:
        where = f"control {row.get('id', '?')!r}"
        check(self.path, where, row, _CONTROL, ("id", "what", "case"))
        contract = row.get("contract", EVERY)
        case = self._case(where, row["case"], contract)
        return Control(row["id"], row["what"], Question(contract, case))

    def _proofs(self, where: str, row: dict[str, Any]) -> Iterator[Proof]:
        for proof in rows(self.path, row, "proof", where, "incident"):
            check(self.path, f"{where}: a proof", proof, _PROOF, ("contract", "bad", "good"))
            contract = proof["contract"]
            bad, good = (self._case(where, proof[side], contract) for side in ("bad", "good"))
            yield Proof(contract, bad, good, proof.get("about", ""))

    def _case(self, where: str, table: dict[str, Any], contract: str) -> Case:
        name = family_of(table.keys())
        if name is None:
            known = "; ".join(
                f"{name}: {', '.join(family.KEYS)}" for name, family in all_families().items()
            )
            problem = f"{where}: a case cannot have the keys {', '.join(table) or '(none)'}"
            raise InvalidDataError(self.path, problem, f"use those of one kind ({known})")
        family = all_families()[name]
        check(self.path, f"{where}: its case", table, family.KEYS, family.REQUIRED)
        contracts = sorted(family.contracts(self.project))
        if contract not in (EVERY, *contracts):
            unknown = UnknownNameError(f"contract of a {name} case", contract, tuple(contracts))
            raise InvalidDataError(self.path, f"{where}: {unknown}", "mend that word")
        return Case.of(table, family.KEYS)
