"""Regular expressions that are compiled when they are first used: a large one takes a hundredth of a second, which
a command that never needs it should not wait."""

import re
from typing import Any, cast


class _LatePattern:
    def __init__(self, pattern: str, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # copying and pickling look for methods that a pattern has no other names for
            raise AttributeError(name)
        found = getattr(re.compile(*self._source), name)
        setattr(self, name, found)
        return found


def compile_late(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """A regular expression with the methods of a compiled one. A mistake in it shows when it is first used.

    >>> compile_late("b+").findall("abbab")
    ['bb', 'b']
    """
    return cast("re.Pattern[str]", _LatePattern(pattern, flags))
