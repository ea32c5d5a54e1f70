#!/usr/bin/env python3
"""refused_sampling.py PROGRAM ARGUMENTS: runs it where perf_event_open is refused, as in most containers (seccomp)."""
import ctypes
import os
import struct
import sys

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, MODE_FILTER = 22, 38, 2
PERF_EVENT_OPEN = 298  # x86-64
LOAD, IF_EQUAL, RETURN = 0x20, 0x15, 0x06  # classic BPF
REFUSE, ALLOW = 0x00050000 | 1, 0x7FFF0000  # EPERM

rows = [(LOAD, 0, 0, 0), (IF_EQUAL, 0, 1, PERF_EVENT_OPEN), (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in rows))


class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]


given = Filter(len(rows), ctypes.addressof(code))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(given)):
    sys.exit(77)
os.execvp(sys.argv[1], sys.argv[1:])
