"""The processes in which an engine has files read."""

from weakref import WeakSet

from ragstone.core.errors import UsageError
from ragstone.extraction import sandbox


class SandboxProcesses:
    """Processes that end with their engine at the latest and disturb no other one's."""

    def __init__(self) -> None:
        self._aparts: WeakSet[sandbox.Sandbox] = WeakSet()
        self._single: sandbox.Sandbox | None = None
        self._closed = False

    def make_sandbox(self) -> sandbox.Sandbox:
        """Those of one run, so that what ends it ends nothing else; raises `UsageError` once all are stopped."""
        if self._closed:  # nobody would end them
            raise UsageError("this engine is closed: open another one to go on")
        made = sandbox.create_sandbox()
        self._aparts.add(made)
        return made

    @property
    def sandbox_for_files(self) -> sandbox.Sandbox:
        """Those for single files and pages; a run has its own, so that what ends it ends nothing else."""
        if self._single is None or self._closed:
            self._single = self.make_sandbox()
        return self._single

    def stop(self) -> None:
        """End them all, for good."""
        self._closed = True
        for apart in list(self._aparts):
            apart.stop()
