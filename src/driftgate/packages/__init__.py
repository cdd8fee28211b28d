"""What is installed together, judged by metadata and source: nothing is installed."""
