"""Public incidents, asked again: what each bad and each good cell comes to, and the score."""
