-- recaudo schema 4: listing orders by state.

ALTER TABLE orders ADD KEY listed (state, created_at, id);
