"""A surface that no server has: snake_case, dots in names, and words of its own for everything. It shows that the seam
holds; `rival` has one of its tools too.
"""
