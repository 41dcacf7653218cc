"""The library for researchers: everything the command line does, in a line or two.

What is a path may be a ``str`` or a ``Path``, and what is read from one may be given instead: a
corpus as a :class:`Corpus`, a key as a :class:`Key`, a safeguard or an encoder as an object. The
command line calls the same functions.
"""
