-- recaudo schema 15: the dispatcher is two processes, one that settles and one that delivers.

ALTER TABLE dispatchers
  ADD COLUMN task ENUM('settle','deliver') NULL
    COMMENT 'What the process does: settle payments and expire orders, or deliver notifications; NULL: both, in a release before this column'
    AFTER pid,
  ADD KEY task (task, seen_at);
