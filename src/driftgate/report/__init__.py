"""Renderers: one file each, from results to text."""
