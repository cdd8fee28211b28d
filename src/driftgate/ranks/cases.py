"""What a multirank cell is about: a topology, a script, and perhaps a trouble on some ranks."""

from __future__ import annotations

from dataclasses import MISSING, asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, get_type_hints

from driftgate.cells import Environment
from driftgate.errors import InvalidDataError
from driftgate.toml import check, read_toml, rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from driftgate.upstreams import Upstream

Groups: TypeAlias = tuple[tuple[int, ...], ...]

# What topologies.toml holds: two lists of tables, and names.
_FILE = {"topology": Any, "trouble": Any, "troubled": tuple[str, ...]}
_CULPRIT = -1  # the last rank of the first group: never global rank 0, which hosts stores


@dataclass(frozen=True)
class Topology:
    """Where the ranks are and which groups they form; a row of ``topologies.toml``.

    Attributes:
        id: The row's name.
        why: What it is there to show, in one line.
        like: The environment whose entry in a shape's ``[degraded]`` table holds here too.
        world_size: Ranks in WORLD.
        groups: Global ranks of each tensor-parallel group; a rank in none only takes part in
            WORLD.
        moe_groups: The same for the MoE layers, over which the experts' outputs are summed; empty:
            those of the attention layers.
        expert_groups: Ranks that hold different experts, where others hold parts of the same ones:
            each MoE group consists of several of these. Empty: not so.
        servers: Worlds on this machine at once, each with equal seeds.
        devices: Device index of each rank; empty: its own number.
        reads_machine: The consumer is not told its machine and asks ``torch.cuda``.
        scripts: What is driven here, each a cell of its own.
        sm: Compute capability as an int.
        nodes: Nodes that WORLD spans.
        backend: What the engine asks for.
        dtype: Name of the activations' torch dtype.
        max_token_num: Tokens that the engine sizes its workspaces for.
        hidden_dim: Hidden size that it sizes them for.
        expects: The reason code that every upstream must give here; empty where it depends.
    """

    id: str
    why: str
    like: str
    world_size: int
    groups: Groups
    moe_groups: Groups = ()
    expert_groups: Groups = ()
    servers: int = 1
    devices: tuple[int, ...] = ()
    reads_machine: bool = False
    scripts: tuple[str, ...] = ("life",)
    sm: int = 90
    nodes: int = 1
    backend: str = "auto"
    dtype: str = "bfloat16"
    max_token_num: int = 64
    hidden_dim: int = 256
    expects: str = ""

    def group_of(self, rank: int, *, moe: bool = False) -> tuple[int, ...]:
        """The tensor-parallel group that a rank is in, or nothing."""
        groups = self.moe_groups if moe and self.moe_groups else self.groups
        return next((group for group in groups if rank in group), ())

    def slices(self) -> Groups:
        """Ranks that hold parts of the same experts, where experts are divided both ways."""
        return tuple(
            tuple(ranks)
            for moe in self.moe_groups
            for ranks in zip(
                *(group for group in self.expert_groups if set(group) <= set(moe)), strict=True
            )
        )

    def environment(self, rank: int, script: str, faults: Sequence[str] = ()) -> Environment:
        """This topology as one rank sees it."""
        return Environment(
            id=self.id,
            why=self.why,
            script=script,
            sm=self.sm,
            nodes=self.nodes,
            world_size=self.world_size,
            group=self.group_of(rank) or (rank,),
            backend=self.backend,
            dtype=self.dtype,
            max_token_num=self.max_token_num,
            hidden_dim=self.hidden_dim,
            faults=tuple(faults),
        )


@dataclass(frozen=True)
class Trouble:
    """Something that goes wrong on one rank, or on all; a row of ``topologies.toml``.

    Attributes:
        id: The row's name; also of the function that brings it about, where no fault does.
        why: What happens, in one line.
        topology: Where it is tried.
        script: What is driven.
        faults: Switches of the stub core.
        expects: The reason codes that are true on a rank that it happens to; empty: fusion stays
            active.
        peers: The same on the other ranks of its group.
        kills: The rank dies, and with it all that its peers could reduce.
    """

    id: str
    why: str
    topology: str
    script: str = "trouble"
    faults: tuple[str, ...] = ()
    expects: tuple[str, ...] = ()
    peers: tuple[str, ...] = ()
    kills: bool = False


@dataclass(frozen=True)
class Case:
    """One cell's worth: what every rank is told before it starts.

    Attributes:
        topology: Where the ranks are.
        script: What is driven.
        trouble: What goes wrong, if anything.
        on_all: Whether it does so on every rank, or on one.
    """

    topology: Topology
    script: str
    trouble: Trouble | None = None
    on_all: bool = False

    @property
    def id(self) -> str:
        """The cell's environment, by name."""
        if self.trouble is not None:
            return f"{self.trouble.id}_on_{'all' if self.on_all else 'one'}"
        return self.topology.id if self.script == "life" else f"{self.topology.id}_{self.script}"

    @property
    def is_for_few(self) -> bool:
        """Whether a few upstreams show it all: it is the consumer's doing, and takes seconds."""
        return (
            self.trouble is not None
            or self.script == "compiled"
            or bool(self.topology.expert_groups)
        )

    @property
    def why(self) -> str:
        """What it is there to show."""
        return self.trouble.why if self.trouble else self.topology.why

    def strikes(self, rank: int) -> bool:
        """Whether the trouble happens to this rank."""
        if self.trouble is None:
            return False
        return self.on_all or rank == self.topology.groups[0][_CULPRIT]

    def environment(self, rank: int) -> Environment:
        """The case as one rank sees it."""
        faults = self.trouble.faults if self.trouble and self.strikes(rank) else ()
        return self.topology.environment(rank, self.script, faults)

    def expected_reasons(self, rank: int, upstream: Upstream) -> tuple[str, ...]:
        """The reason codes that are right on a rank; empty where fusion must be active."""
        base = self.base_reason(upstream)
        if base:
            return (base,)
        if self.trouble is None:
            return ()
        if self.on_all and self.trouble.expects:
            # Whoever fails first may end the others' attempts before they fail themselves.
            return (*self.trouble.expects, *self.trouble.peers)
        if self.strikes(rank):
            return self.trouble.expects
        return self.trouble.peers if rank in self.topology.groups[0] else ()

    def base_reason(self, upstream: Upstream) -> str:
        """The reason code that is right where nothing goes wrong."""
        like = Environment(id=self.topology.like, why="", script="", expects=self.topology.expects)
        return upstream.expected_reason(like)

    def as_dict(self) -> dict[str, Any]:
        """Return plain containers, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Case:
        """Rebuild a case from :meth:`as_dict` and JSON."""
        trouble = data["trouble"]
        return cls(
            Topology(**_tuples(data["topology"])),
            data["script"],
            Trouble(**_tuples(trouble)) if trouble else None,
            data["on_all"],
        )


Row = TypeVar("Row", Topology, Trouble)


def read_cases(path: Path) -> dict[str, Case]:
    """Return every case by id: each topology's scripts, then each trouble on one rank and on all.

    Raises:
        InvalidDataError: A row cannot be used.
    """
    document = _read(path)
    found = [_row(path, Topology, row) for row in rows(path, document, "topology")]
    for topology in found:
        _check(path, topology)
    topologies = {topology.id: topology for topology in found}
    cases = [Case(topology, script) for topology in found for script in topology.scripts]
    for row in rows(path, document, "trouble"):
        trouble = _row(path, Trouble, row)
        if trouble.topology not in topologies:
            raise InvalidDataError(
                path,
                f"trouble {trouble.id!r} names the unknown topology {trouble.topology!r}",
                "name one of this file",
            )
        topology = topologies[trouble.topology]
        cases += [Case(topology, trouble.script, trouble, on_all) for on_all in (False, True)]
    by_id = {case.id: case for case in cases}
    if not cases or len(by_id) < len(cases):
        raise InvalidDataError(path, "no row, or two of one name", "give each row its own id")
    return by_id


def read_troubled(path: Path) -> tuple[str, ...]:
    """Return the upstreams that troubles are tried with where none is named.

    Raises:
        InvalidDataError: The file cannot be read.
    """
    return tuple(_read(path).get("troubled", ()))


def _read(path: Path) -> dict[str, Any]:
    document = read_toml(path)
    check(path, "the file", document, _FILE)
    return document


def _row(path: Path, kind: type[Row], row: dict[str, Any]) -> Row:
    required = [each.name for each in fields(kind) if each.default is MISSING]
    check(path, f"row {row.get('id', '?')!r}", row, get_type_hints(kind), required)
    return kind(**_tuples(row))


def _check(path: Path, topology: Topology) -> None:
    for groups in (topology.groups, topology.moe_groups, topology.expert_groups):
        members = [rank for group in groups for rank in group]
        if len(set(members)) < len(members) or not set(members) <= set(range(topology.world_size)):
            raise InvalidDataError(
                path,
                f"topology {topology.id!r}: groups {list(groups)} overlap or leave the world",
                "mend the groups or raise world_size",
            )


def _tuples(row: dict[str, Any]) -> dict[str, Any]:
    return {key: _frozen(value) for key, value in row.items()}


def _frozen(value: Any) -> Any:  # noqa: ANN401 - TOML's or JSON's
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


def walk_ranks(topology: Topology) -> Iterator[tuple[int, int]]:
    """Yield every process of a cell as (server, rank)."""
    for server in range(topology.servers):
        for rank in range(topology.world_size):
            yield server, rank
