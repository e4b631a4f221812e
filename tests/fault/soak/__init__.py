"""A run of hours under traffic and faults: is the work right, and does what it costs stay the same?"""
