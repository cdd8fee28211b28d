"""What the installed FlashInfer offers, read once when it is first needed; never raises.

What matters is told by shape (what exists, what is taken), never by version number.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import importlib.util
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from flashinfer_comm_fusion.binding import ALL_REDUCE_BASE, CREATE_BASE, Signature, SignatureState
from flashinfer_comm_fusion.status import ReasonCode, Refusal, describe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_PACKAGE: Final = "flashinfer.comm"
_CREATE: Final = "create_allreduce_fusion_workspace"
_ALL_REDUCE: Final = "allreduce_fusion"

# Data volumes in MiB up to which TRT-LLM's dispatch chooses one-shot by itself, by rank count: the
# upstream's private table, equal in every release, for where that table is not found.
_ONESHOT_MIB: Final = {2: 512, 4: 64, 8: 42}


@dataclass(frozen=True)
class Capabilities:
    """What the upstream takes and has.

    Attributes:
        create_signature: How much of the creating function's signature can be read.
        all_reduce_signature: The same for the all-reduce function.
        group: Creation takes ``group``.
        comm_backend: Creation takes ``comm_backend``.
        trigger_completion_at_end: The all-reduce takes it.
        torch_symmetric_memory: The package has the module that brought rendezvous through torch
            symmetric memory: from then on a workspace without ``group`` meets over WORLD.
        torch_dist_backend: Where ``TorchDistBackend`` is defined, or empty.
        cutedsl_option: Creation itself can make ``mnnvl-cutedsl`` workspaces.
        oneshot_mib: Rank counts that TRT-LLM's dispatch knows, each with the volume in MiB up to
            which it takes one-shot.
    """

    create_signature: SignatureState
    all_reduce_signature: SignatureState
    group: bool
    comm_backend: bool
    trigger_completion_at_end: bool
    torch_symmetric_memory: bool
    torch_dist_backend: str
    cutedsl_option: bool
    oneshot_mib: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Upstream:
    """The upstream's own objects, beside what is known of them.

    Attributes:
        create: ``create_allreduce_fusion_workspace``.
        all_reduce: ``allreduce_fusion``.
        create_signature: Signature of ``create``.
        all_reduce_signature: Signature of ``all_reduce``.
        plain_pattern: ``AllReduceFusionPattern.kAllReduce``.
        fused_pattern: ``AllReduceFusionPattern.kARResidualRMSNorm``.
        torch_dist_backend: ``TorchDistBackend``, or None.
        capabilities: What is known.
        version: The upstream's own version text, or empty.
    """

    create: Callable[..., Any]
    all_reduce: Callable[..., Any]
    create_signature: Signature
    all_reduce_signature: Signature
    plain_pattern: object
    fused_pattern: object
    torch_dist_backend: type | None
    capabilities: Capabilities
    version: str


@functools.cache
def probe() -> Upstream | Refusal:
    """Import ``flashinfer.comm`` and read it; the answer, good or bad, is kept.

    Returns:
        The upstream, or why there is none. ``probe.cache_clear()`` forgets the answer.
    """
    try:
        importlib.import_module(_PACKAGE)
    except ModuleNotFoundError as error:
        reason = {
            "flashinfer": ReasonCode.NO_FLASHINFER,
            _PACKAGE: ReasonCode.COMM_MISSING,
        }.get(error.name or "", ReasonCode.IMPORT_FAILED)
        return Refusal(reason, describe(error))
    except Exception as error:  # noqa: BLE001 - a broken install raises anything: OSError, AssertionError …
        return Refusal(ReasonCode.IMPORT_FAILED, describe(error))

    create = find_symbol(_CREATE)
    all_reduce = find_symbol(_ALL_REDUCE)
    patterns = find_symbol("AllReduceFusionPattern")
    plain = attribute(patterns, "kAllReduce")
    fused = attribute(patterns, "kARResidualRMSNorm")
    create_signature = Signature.read(create, CREATE_BASE)
    all_reduce_signature = Signature.read(all_reduce, ALL_REDUCE_BASE)
    absent = [
        name
        for name, missing in (
            (_CREATE, create_signature.state is SignatureState.MISSING),
            (_ALL_REDUCE, all_reduce_signature.state is SignatureState.MISSING),
            ("AllReduceFusionPattern.kAllReduce", plain is None),
            ("AllReduceFusionPattern.kARResidualRMSNorm", fused is None),
        )
        if missing
    ]
    if create is None or all_reduce is None or absent:
        return Refusal(ReasonCode.NO_UNIFIED_API, f"{_PACKAGE} has no {', '.join(absent)}")

    dist_backend = find_symbol("TorchDistBackend", homes=("mnnvl", "comm_backend"))
    if not isinstance(dist_backend, type):
        dist_backend = None
    return Upstream(
        create=create,
        all_reduce=all_reduce,
        create_signature=create_signature,
        all_reduce_signature=all_reduce_signature,
        plain_pattern=plain,
        fused_pattern=fused,
        torch_dist_backend=dist_backend,
        capabilities=Capabilities(
            create_signature=create_signature.state,
            all_reduce_signature=all_reduce_signature.state,
            group=create_signature.takes("group"),
            comm_backend=create_signature.takes("comm_backend"),
            trigger_completion_at_end=all_reduce_signature.takes("trigger_completion_at_end"),
            torch_symmetric_memory=_has_module(f"{_PACKAGE}.torch_symmetric_memory"),
            torch_dist_backend=(
                f"{dist_backend.__module__}.{dist_backend.__qualname__}" if dist_backend else ""
            ),
            # The option that plain all-reduce over CuTe DSL needs came with the backend itself.
            cutedsl_option=create_signature.takes("apply_rms_norm"),
            oneshot_mib=_oneshot_table(find_symbol("_use_oneshot_heuristics")),
        ),
        version=upstream_version(),
    )


def attribute(owner: object, name: str, default: Any = None) -> Any:  # noqa: ANN401 - it may be anything
    """``getattr`` that survives properties and module hooks that raise."""
    try:
        return getattr(owner, name, default)
    except Exception:  # noqa: BLE001 - lazy module attributes raise ImportError, properties anything
        return default


def find_symbol(name: str, homes: tuple[str, ...] = ()) -> Any:  # noqa: ANN401 - it may be anything
    """Find ``name`` in the package, in its loaded submodules, or in ``homes``.

    Symbols move between submodules from release to release, and are not always exported anew.

    Args:
        name: What to look for.
        homes: Submodules that may be imported to find it.

    Returns:
        The object, or None.
    """
    for module in _loaded_modules():
        found = attribute(sys.modules.get(module), name)
        if found is not None:
            return found
    for home in homes:
        try:
            found = attribute(importlib.import_module(f"{_PACKAGE}.{home}"), name)
        except Exception:  # noqa: BLE001, S112 - a home that cannot be imported has nothing for us
            continue
        if found is not None:
            return found
    return None


def _loaded_modules() -> Iterator[str]:
    """Yield the package, then its loaded submodules: most of what is looked for is exported."""
    yield _PACKAGE
    yield from sorted(module for module in sys.modules if module.startswith(f"{_PACKAGE}."))


def upstream_version() -> str:
    """The upstream's own version text, or empty."""
    version = attribute(sys.modules.get("flashinfer"), "__version__")
    if isinstance(version, str):
        return version
    try:
        return importlib.metadata.version("flashinfer-python")
    except Exception:  # noqa: BLE001 - damaged metadata raises more than PackageNotFoundError
        return ""


def _has_module(name: str) -> bool:
    if name in sys.modules:
        return True
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):
        return False


def _oneshot_table(found: object) -> tuple[tuple[int, int], ...]:
    table: Mapping[Any, Any] = found if isinstance(found, dict) and found else _ONESHOT_MIB
    if not all(isinstance(item, int) for pair in table.items() for item in pair):
        table = _ONESHOT_MIB
    return tuple(sorted(table.items()))
