cdef bint _grow(
    CellSpace space, BoxSearch work, WitnessStore store, long long witness, bint free, long long steps
) noexcept nogil
cdef long long _by_circuit(
    CellSpace space, BoxSearch work, WitnessStore store, long long witness, long long left, long long steps
) noexcept nogil
cdef void _suppress(CellSpace space, BoxSearch work, WitnessStore store) noexcept nogil
cdef void _store(CellSpace space, BoxSearch work, WitnessStore store, long long witness) noexcept nogil
cdef void _clear(CellSpace space, BoxSearch work, WitnessStore store) noexcept nogil
