"""Faults under real traffic, and the proof that nothing was lost; see README.md."""
