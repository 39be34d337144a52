"""The processes in which an engine has files read."""

from weakref import WeakSet

from ragstone.core.errors import UsageError
from ragstone.extraction import sandbox


class Processes:
    """Processes that end with their engine at the latest and disturb no other one's."""

    def __init__(self) -> None:
        self._aparts: WeakSet[sandbox.Apart] = WeakSet()
        self._single: sandbox.Apart | None = None
        self._closed = False

    def fresh(self) -> sandbox.Apart:
        """Those of one run, so that what ends it ends nothing else; raises `UsageError` once all are stopped."""
        if self._closed:  # nobody would end them
            raise UsageError("this engine is closed: open another one to go on")
        made = sandbox.own()
        self._aparts.add(made)
        return made

    @property
    def single(self) -> sandbox.Apart:
        """Those for single files and pages; a run has its own, so that what ends it ends nothing else."""
        if self._single is None or self._closed:
            self._single = self.fresh()
        return self._single

    def stop(self) -> None:
        """End them all, for good."""
        self._closed = True
        for apart in list(self._aparts):
            apart.stop()
