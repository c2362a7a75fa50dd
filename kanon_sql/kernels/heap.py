"""A binary heap of numbered items with whole numbers or floats as keys, the least key first, then the least number."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if not cython.compiled:  # compiled, it comes from the .pxd
    Key = float


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _before(key: Key[::1], a: cython.longlong, b: cython.longlong) -> cython.bint:
    return key[a] < key[b] or (key[a] == key[b] and a < b)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def push(
    heap: cython.longlong[::1],
    key: Key[::1],
    size: cython.longlong,
    item: cython.longlong,
    value: Key,
) -> cython.longlong:
    """Add an item that is not in the heap; return the new size. O(log size)."""
    key[item] = value
    place: cython.longlong = size
    above: cython.longlong
    while place > 0:
        above = (place - 1) // 2
        if not _before(key, item, heap[above]):
            break
        heap[place] = heap[above]
        place = above
    heap[place] = item
    return size + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def pop(heap: cython.longlong[::1], key: Key[::1], size: cython.longlong) -> cython.longlong:
    """Remove the first item, ``heap[0]``; return the new size. O(log size)."""
    size -= 1
    _sink(heap, key, size, heap[size])
    return size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def raise_first(heap: cython.longlong[::1], key: Key[::1], size: cython.longlong, value: Key) -> cython.void:
    """Give the first item a greater key. O(log size)."""
    item: cython.longlong = heap[0]
    key[item] = value
    _sink(heap, key, size, item)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sink(heap: cython.longlong[::1], key: Key[::1], size: cython.longlong, item: cython.longlong) -> cython.void:
    """Put an item in the place of the first."""
    place: cython.longlong = 0
    below: cython.longlong = 1
    while below < size:
        if below + 1 < size and _before(key, heap[below + 1], heap[below]):
            below += 1
        if not _before(key, heap[below], item):
            break
        heap[place] = heap[below]
        place = below
        below = 2 * place + 1
    heap[place] = item
