"""A stable sort of numbered items by their keys."""

from __future__ import annotations


def sort_by_key(item, count, key, other):
    """Sort ``item[:count]`` by ``key[item]``, the least first; items of equal keys keep their order. O(count log count).

    Parameters
    ----------
    item : int64 array
        Numbers from 0 to before the length of ``key``.
    key : int64 array
        The key of each number.
    other : int64 array
        Scratch, at least as long as ``count``.
    """
    width = 8  # runs of it are sorted by insertion
    for first in range(0, count, 8):
        for a in range(first + 1, min(first + 8, count)):
            i = item[a]
            place = a
            while place > first and key[item[place - 1]] > key[i]:
                item[place] = item[place - 1]
                place -= 1
            item[place] = i
    while width < count:
        middle = width
        while middle < count:
            first = middle - width
            last = min(middle + width, count)
            # Only the left run is set aside: the merged items never overtake the right one.
            for a in range(first, middle):
                other[a] = item[a]
            a = first
            b = middle
            place = first
            while a < middle:
                if b < last and key[item[b]] < key[other[a]]:
                    item[place] = item[b]
                    b += 1
                else:
                    item[place] = other[a]
                    a += 1
                place += 1
            middle += 2 * width
        width *= 2
