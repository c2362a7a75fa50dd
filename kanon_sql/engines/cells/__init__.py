"""Tables of counts and sums, whatever the engine: from base cells to what may be shown, and the gate."""
