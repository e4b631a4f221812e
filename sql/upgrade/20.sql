-- From schema 20 to the foundation: nothing is stored otherwise.

-- Part 2
