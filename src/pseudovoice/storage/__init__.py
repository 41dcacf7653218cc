"""Speech that lies elsewhere, in an object store or on another machine, as if it lay here.

What comes from there has a *stand-in* in a local folder: the same name, size and time, and nothing
in it. Everything that lists, names and compares files works on stand-ins; whoever needs the bytes
of one asks for them (:func:`present`) and has them for as long as that takes. Nothing of this
happens to paths of this machine, and fsspec is not loaded before the first address is met.
"""

from pseudovoice.storage.address import Address, address_of
from pseudovoice.storage.near import (
    address_behind,
    facts_of,
    lies_in,
    named,
    near,
    near_all,
    present,
    whole,
)
from pseudovoice.storage.outgoing import check_reach, home_of, is_outgoing, sending, sending_but

__all__ = [
    "Address",
    "address_behind",
    "address_of",
    "check_reach",
    "facts_of",
    "home_of",
    "is_outgoing",
    "lies_in",
    "named",
    "near",
    "near_all",
    "present",
    "sending",
    "sending_but",
    "whole",
]
