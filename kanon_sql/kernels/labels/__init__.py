"""Loops that put the labels of one attribute, or of two coordinates, into groups."""
