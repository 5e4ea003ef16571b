"""How much of a table a cloth covers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def covered(points: Floats, triangles: Ints, pixel: float) -> Ints:
    """The squares of a lattice in the ground plane whose middles lie under a triangle: their numbers along x and y, each once."""
    corners = points[triangles][:, :, :2] / pixel - 0.5
    first = np.ceil(corners.min(axis=1)).astype(np.int64)
    last = np.floor(corners.max(axis=1)).astype(np.int64)
    # Cloth that has burst must not ask for all of the memory.
    wide = int(np.clip((last - first).max() + 1, 0, 128))
    offsets = np.stack(np.meshgrid(np.arange(wide), np.arange(wide), indexing="ij"), axis=-1).reshape(-1, 2)
    places = first[:, None, :] + offsets
    sides = []
    for k in range(3):
        a, b = corners[:, k, None], corners[:, (k + 1) % 3, None]
        along, to = b - a, places - a
        sides.append(along[..., 0] * to[..., 1] - along[..., 1] * to[..., 0])
    turns = np.stack(sides)
    inside = (turns >= 0).all(axis=0) | (turns <= 0).all(axis=0)
    return np.unique(places[inside], axis=0)


def coverage(points: Floats, triangles: Ints, area: float, pixel: float = 0.005) -> float:
    """The covered part of the ground plane over an area (m²)."""
    return len(covered(points, triangles, pixel)) * pixel**2 / area
