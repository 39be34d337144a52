"""What arrays are called in signatures: numpy takes 0.1 s to import, which no noun and no seam should cost."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Structured = NDArray[np.void]
else:
    Vectors = Structured = Any
