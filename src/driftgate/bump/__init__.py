"""The verdict on moving the upstream's pin: what breaks, where, since which release, what to do.

A list of small steps (``driftgate.bump.steps``), each taking what the one before made. All of it
works on a copy of the data in a temporary folder; only ``--write`` brings that back.
"""
