"""Years in an hour: every process sees a clock that is stepped from one moment to the next."""
