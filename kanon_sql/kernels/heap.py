"""A binary heap of numbered items with whole numbers or floats as keys, the least key first, then the least number."""

from __future__ import annotations


def _before(key, a, b):
    return key[a] < key[b] or (key[a] == key[b] and a < b)


def push(heap, key, size, item, value):
    """Add an item that is not in the heap; return the new size. O(log size)."""
    key[item] = value
    place = size
    while place > 0:
        above = (place - 1) // 2
        if not _before(key, item, heap[above]):
            break
        heap[place] = heap[above]
        place = above
    heap[place] = item
    return size + 1


def pop(heap, key, size):
    """Remove the first item, ``heap[0]``; return the new size. O(log size)."""
    size -= 1
    _sink(heap, key, size, heap[size])
    return size


def raise_first(heap, key, size, value):
    """Give the first item a greater key. O(log size)."""
    item = heap[0]
    key[item] = value
    _sink(heap, key, size, item)


def _sink(heap, key, size, item):
    """Put an item in the place of the first."""
    place = 0
    below = 1
    while below < size:
        if below + 1 < size and _before(key, heap[below + 1], heap[below]):
            below += 1
        if not _before(key, heap[below], item):
            break
        heap[place] = heap[below]
        place = below
        below = 2 * place + 1
    heap[place] = item
