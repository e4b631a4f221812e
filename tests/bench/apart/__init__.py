"""Programs of their own: what tests/bench/run does not measure."""
