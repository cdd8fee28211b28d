"""Rules that the ranks of a cell keep together; each file's name is the contract's id."""
