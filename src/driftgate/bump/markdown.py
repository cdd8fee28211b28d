"""The report as a page, for the pull request that moves the pin."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from jinja2 import Environment, StrictUndefined

from driftgate.bump.model import Change, Line, Report, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

_PAGE = """\
# flashinfer {{ report.old }} to {{ report.new }}: {{ report.verdict.value }}

For `{{ report.consumer }}`; run on {{ ran }}. Stub: {{ report.stub }}.
{% for verdict, lines in sections %}
## {{ verdict.value }}
{% for line in lines %}
- **{{ line | headed }}**{% if line.since %}, since {{ line.since }}{% endif %}: {{ line.why }}
{%- if line.todo %}
  - do: {{ line.todo }}
{%- endif %}
{%- if line.sites %}
  - at: {% for site in line.sites %}`{{ site }}`{{ ", " if not loop.last }}{% endfor %}
{%- endif %}
{%- for change in line.changes %}
  - {{ change | told }}
{%- endfor %}
{% endfor %}{% endfor %}
{%- if report.already %}
## Already so with {{ report.old }}
{% for line in report.already %}
- {{ line | headed }}: {{ line.why }}
{%- endfor %}
{% endif %}
## Not used

{{ report.unused | length }} differences in what the consumer does not use.
{% for symbol, kinds in unused %}
- `{{ symbol }}`: {{ kinds }}
{%- endfor %}
{% for note in report.notes %}
Note: {{ note }}.
{% endfor -%}
"""


def report_page(report: Report) -> str:
    """Return the report in Markdown; the same report gives the same bytes."""
    # Not HTML: nothing is to be escaped but by the backticks that the page puts around code.
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)  # noqa: S701
    environment.filters.update(headed=headed, told=_told)
    sections = [
        (verdict, lines)
        for verdict in Verdict
        if (lines := [line for line in report.lines if line.verdict is verdict])
    ]
    return environment.from_string(_PAGE).render(
        report=report,
        sections=sections,
        unused=list(unused_by_symbol(report)),
        ran=", ".join(f"`{name}`" for name in report.ran) or "nothing",
    )


def headed(line: Line) -> str:
    """Return what a line is about, in a few words."""
    return " ".join(part for part in (line.symbol, line.kind) if part)


def unused_by_symbol(report: Report) -> Iterable[tuple[str, str]]:
    """Yield the symbols that the consumer does not use, and what changed of each."""
    kinds: dict[str, Counter[str]] = {}
    for difference in report.unused:
        name = difference.symbol.rpartition(":")[2]
        kinds.setdefault(name, Counter())[difference.kind.value] += 1
    for name, counter in kinds.items():
        yield name, ", ".join(f"{kind} {count}" for kind, count in counter.items())


def _told(change: Change) -> str:
    parts = [change.where]
    if change.old:
        parts.append(f"was `{change.old}`")
    if change.new:
        parts.append(f"is `{change.new}`")
    parts.append(change.note)
    return "; ".join(part for part in parts if part)
