"""Consumers that other projects ship: the wanted files out of their released wheels."""
