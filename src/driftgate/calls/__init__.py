"""Which upstream calls a consumer's source makes, and whether each release takes them.

Nothing is imported or run: sources are read with ``ast`` and followed by plain data flow.
``read_usage`` turns sources into a :class:`~driftgate.calls.model.Usage`; ``bind`` holds it
against recorded surfaces.
"""
