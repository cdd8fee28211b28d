"""Real releases: a store of unpacked wheels, and their own Python run on a CPU."""
