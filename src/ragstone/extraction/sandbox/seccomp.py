"""System calls that a child gives up for good on Linux: the network, other processes' memory, ways out of its group.

A second wall behind the limits, for the case that a document takes over its parser. Calls that are
refused fail with EPERM. Where the system has no such filter, the child runs without.
"""

import ctypes
import os
import struct
import sys

NO_NEW_PRIVILEGES, SET_FILTER, FILTER = 38, 22, 2  # of prctl(2)
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06  # of classic BPF
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | 1  # seccomp(2): with EPERM
NUMBER, MACHINE = 0, 4  # where the filter finds a call's number and its machine
FOREIGN = 0x40000000  # calls from here on are another ABI's (x32)
STEP = struct.Struct("HBBI")

# By machine: its name for the filter, then the numbers of socket, ptrace, process_vm_readv,
# process_vm_writev, setsid, setpgid, bpf, unshare, setns, mount, keyctl, add_key, request_key, userfaultfd,
# perf_event_open, io_uring_setup, pidfd_getfd. From the kernel's headers.
CALLS = {
    "x86_64": (0xC000003E, (41, 101, 310, 311, 112, 109, 321, 272, 308, 165, 250, 248, 249, 323, 298, 425, 438)),
    "aarch64": (0xC00000B7, (198, 117, 270, 271, 157, 154, 280, 97, 268, 40, 219, 217, 218, 282, 241, 425, 438)),
}


class FilterProgram(ctypes.Structure):
    """A filter as the kernel takes it."""

    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def install_filter() -> bool:
    """Give them up, for this process and all that it starts; whether that was possible."""
    if not sys.platform.startswith("linux") or sys.maxsize < 2**32:
        return False
    prctl = ctypes.CDLL(None).prctl
    prctl.argtypes = (ctypes.c_int, *[ctypes.c_ulong] * 4)
    done = prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
    machine = CALLS.get(os.uname().machine)
    if not done or machine is None:
        return False
    steps = _build_filter(*machine)
    program = FilterProgram(len(steps) // STEP.size, steps)
    return bool(prctl(SET_FILTER, FILTER, ctypes.addressof(program), 0, 0) == 0)


def _build_filter(machine: int, calls: tuple[int, ...]) -> bytes:
    """The filter: foreign machines and listed calls are refused, all others pass."""
    far = len(calls)  # steps from the first comparison to the one that refuses, which stands last
    steps = [
        (LOAD, 0, 0, MACHINE),
        (EQUAL, 0, far + 3, machine),
        (LOAD, 0, 0, NUMBER),
        (AT_LEAST, far + 1, 0, FOREIGN),
        *((EQUAL, far - at, 0, number) for at, number in enumerate(calls)),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, REFUSE),
    ]
    return b"".join(STEP.pack(*step) for step in steps)
