-- recaudo schema 15: the dispatcher is two processes, one that settles and one that delivers; and what waits for nothing.

ALTER TABLE dispatchers
  ADD COLUMN task ENUM('settle','deliver') NULL
    COMMENT 'What the process does: settle payments and expire orders, or deliver notifications; NULL: both, in a release before this column'
    AFTER pid,
  ADD KEY task (task, seen_at);

-- Nothing releases these: whoever settled the earlier one, or gave the merchant its address, did so on another database server at the
-- same moment and did not see them. Recent ones are left out: their transaction may be on its way to this server.
CREATE SQL SECURITY DEFINER VIEW notifications_stuck AS
  SELECT w.id, w.merchant_id, w.state, w.due_at FROM
    (SELECT id, merchant_id, order_id, sequence, state, due_at FROM notifications FORCE INDEX (due)
      WHERE state = 'waiting' AND due_at <= UTC_TIMESTAMP(6) - INTERVAL 5 SECOND ORDER BY due_at, id LIMIT 10000) w
   WHERE NOT EXISTS (SELECT 1 FROM notifications earlier FORCE INDEX (order_status)
                      WHERE earlier.order_id = w.order_id AND earlier.sequence < w.sequence
                        AND earlier.state NOT IN ('delivered', 'exhausted'))
  UNION ALL
  SELECT u.id, u.merchant_id, u.state, u.due_at FROM
    (SELECT n.id, n.merchant_id, n.state, n.due_at FROM merchants m
      STRAIGHT_JOIN notifications n FORCE INDEX (merchant) ON n.state = 'unaddressed' AND n.merchant_id = m.id
      WHERE m.notify_url IS NOT NULL AND n.due_at <= UTC_TIMESTAMP(6) - INTERVAL 5 SECOND LIMIT 10000) u;
