"""Word and PowerPoint files of before 2007, converted by LibreOffice where it is installed, then read as today's."""

import contextlib
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from ragstone.core.errors import Refused
from ragstone.extraction.media_types import DOC, DOCX, PPT, PPTX
from ragstone.extraction.sandbox.document_limits import Bounds
from ragstone.extraction.type_names import describe_type

PROGRAMS = ("soffice", "libreoffice")
TARGETS: Mapping[str, tuple[str, str]] = MappingProxyType({DOC: ("docx", DOCX), PPT: ("pptx", PPTX)})
MEMORY_BYTES = 4_000_000_000  # of address space: the program reserves 2 GB and uses a tenth of it
# Sets the limits and becomes the converter: the CPU in seconds, the address space and the bytes of a file.
LAUNCH = """
import os, resource, sys
for kind, most in zip((resource.RLIMIT_CPU, resource.RLIMIT_AS, resource.RLIMIT_FSIZE), map(int, sys.argv[1:4])):
    hard = resource.getrlimit(kind)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))
os.execv(sys.argv[4], sys.argv[4:])
"""
# A document is hostile input: no macros, no linked files, and a proxy that is not there for all addresses.
PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="MacroSecurityLevel" oor:op="fuse">
<value>3</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="DisableMacrosExecution"
 oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="BlockUntrustedRefererLinks"
 oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetProxyType" oor:op="fuse"><value>2</value></prop>
</item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPProxyName" oor:op="fuse">
<value>127.0.0.1</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPProxyPort" oor:op="fuse"><value>9</value>
</prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPSProxyName" oor:op="fuse">
<value>127.0.0.1</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPSProxyPort" oor:op="fuse"><value>9</value>
</prop></item>
</oor:items>
"""


@cache
def find_converter() -> str | None:
    """The program that converts, None where there is none."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


def convert(data: bytes, media_type: str, *, path: str, bounds: Bounds) -> bytes:
    """Convert a document to today's format.

    Raises `Refused`: unsupported (no converter, or one that lacks the part for this type), too_slow, broken.
    """
    converter = find_converter()
    if converter is None:
        remedy = "install LibreOffice, which converts it, or save it as DOCX, PPTX or PDF"
        raise Refused("unsupported", f"{path} is {describe_type(media_type)}: {remedy}")
    bounds = bounds.for_size(len(data))
    with tempfile.TemporaryDirectory(prefix="ragstone-office-") as folder:
        suffix = {DOC: "doc", PPT: "ppt"}[media_type]
        source, made = Path(folder, f"in.{suffix}"), Path(folder, f"in.{TARGETS[media_type][0]}")
        source.write_bytes(data)
        profile = Path(folder, "profile", "user")
        profile.mkdir(parents=True)
        Path(profile, "registrymodifications.xcu").write_text(PROFILE, encoding="utf-8")
        status = _run_converter(converter, source, made.suffix[1:], bounds, path)
        if made.is_file():
            return made.read_bytes()
    why = "it may be damaged or encrypted, or LibreOffice lacks the part for it (Writer, Impress)"
    raise Refused("broken", f"{path}: LibreOffice cannot convert it (status {status}): {why}; save it as DOCX or PDF")


def _run_converter(converter: str, source: Path, target: str, bounds: Bounds, path: str) -> int:
    """Run the program until it ends; it and all that it started are gone afterwards. Gives its status."""
    folder = source.parent
    limits = (math.ceil(bounds.cpu_seconds), max(MEMORY_BYTES, bounds.memory_bytes), bounds.output_bytes)
    options = ("--headless", "--norestore", "--nolockcheck", "--nodefault", "--nologo", "--convert-to", target)
    command = [converter, f"-env:UserInstallation=file://{folder}/profile", *options, "--outdir", str(folder)]
    launch = [sys.executable, "-I", "-S", "-c", LAUNCH, *map(str, limits), *command, str(source)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(launch, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True) as process:
        try:
            return process.wait(bounds.wall_seconds)
        except subprocess.TimeoutExpired:
            seconds = f"{bounds.wall_seconds:.0f} s"
            raise Refused("too_slow", f"{path} took LibreOffice more than {seconds}; save it as DOCX or PDF") from None
        finally:
            _end_group(process)


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    """End what is left of a program and of those that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
