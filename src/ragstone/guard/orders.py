"""What a text says when it speaks to a model instead of a reader: one table of patterns with their weight.

Each asks for two things together (an order *and* what it is aimed at), because documentation is
full of imperatives. Gaps are bounded, so that the time stays linear.
"""

from ragstone.guard.exfiltration_patterns import EXFILTRATION_PATTERNS
from ragstone.guard.foreign_patterns import FOREIGN_PATTERNS
from ragstone.guard.injection_pattern import InjectionPattern
from ragstone.guard.instruction_patterns import INSTRUCTION_PATTERNS
from ragstone.guard.override_patterns import OVERRIDE_PATTERNS
from ragstone.guard.persona_patterns import PERSONA_PATTERNS

PATTERNS: tuple[InjectionPattern, ...] = (
    *OVERRIDE_PATTERNS,
    *PERSONA_PATTERNS,
    *FOREIGN_PATTERNS,
    *EXFILTRATION_PATTERNS,
    *INSTRUCTION_PATTERNS,
)
