"""Names of arrays for signatures: importing numpy takes 0.1 s, which values and protocols should not cost."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Structured = NDArray[np.void]
else:
    Vectors = Structured = Any
