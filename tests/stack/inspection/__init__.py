"""Looking into processes: which files they have open, what their limits are."""
