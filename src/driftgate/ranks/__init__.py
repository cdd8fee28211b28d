"""The multirank tier: several real processes over gloo, every rank's trace judged together."""
