cpdef enum:
    BLOCK = 16
