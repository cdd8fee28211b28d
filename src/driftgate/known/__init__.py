"""What the last runs found: each finding once, with where it was seen and how far it reaches."""
