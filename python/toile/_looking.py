"""Cameras, pictures and the player."""

from __future__ import annotations

import html
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import ArgumentError

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Camera:
    """A camera: where the eye is and what it looks at.

    Parameters
    ----------
    eye, target : (3,) array
        Where it stands and the point in the middle of the picture (m).
    up : (3,) array
        A direction that points up in the picture.
    fov : float
        Angle from the lower to the upper border (degrees).
    near : float
        What is nearer than this is cut away (m).
    """

    eye: tuple[float, float, float]
    target: tuple[float, float, float]
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    fov: float = 45.0
    near: float = 1e-3

    def _said(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("eye", "target", "up", "fov", "near")}

    def axes(self) -> Floats:
        """Right, down and forward in the picture, as rows: the rotation from the world to the camera."""
        forward = np.asarray(self.target, float) - np.asarray(self.eye, float)
        forward /= np.linalg.norm(forward)
        right = np.cross(forward, np.asarray(self.up, float))
        length = float(np.linalg.norm(right))
        if not length > 1e-9:
            raise ArgumentError("the camera looks along its own up; give it another up")
        right /= length
        return np.stack([right, np.cross(forward, right), forward])

    def intrinsics(self, width: int, height: int) -> Floats:
        """The 3 × 3 matrix of a pinhole camera, in pixels.

        Parameters
        ----------
        width, height : int
            Size of the picture in pixels.
        """
        if not 0.0 < self.fov < 180.0:
            raise ArgumentError(f"the field of view is {self.fov} degrees; it must be between 0 and 180")
        focal = 0.5 * height / np.tan(0.5 * np.radians(self.fov))
        return np.array([[focal, 0.0, 0.5 * width], [0.0, focal, 0.5 * height], [0.0, 0.0, 1.0]])

    def points(self, depth: npt.NDArray[np.floating[Any]]) -> Floats:
        """The places in the world (m) that the pixels of a depth picture show: (height, width, 3), infinite in the background.

        Parameters
        ----------
        depth : (height, width) array
            Distances along the line of sight (m), as ``Picture.depth`` has them.
        """
        height, width = depth.shape
        focal = self.intrinsics(width, height)[0, 0]
        rows, columns = np.mgrid[0:height, 0:width] + 0.5
        rays = np.stack([(columns - 0.5 * width) / focal, (rows - 0.5 * height) / focal, np.ones_like(rows)], axis=-1)
        with np.errstate(invalid="ignore"):
            return np.asarray(self.eye, float) + (depth[..., None].astype(float) * rays) @ self.axes()


def _said(camera: Camera | Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What the compiled module takes for a camera."""
    if camera is None:
        return None
    if isinstance(camera, Camera):
        return camera._said()
    if isinstance(camera, Mapping):
        return dict(camera)
    raise ArgumentError(
        "a camera is a toile.Camera, or a dictionary with azimuth, elevation and zoom, or with eye and target"
    )


@dataclass(frozen=True)
class Picture:
    """What a camera saw.

    Attributes
    ----------
    rgb : (height, width, 3) array of uint8, or None
        Colours, if they were asked for.
    depth : (height, width) array of float32, or None
        Distance along the line of sight in the middle of each pixel (m), infinite in the background.
    segmentation : (height, width) array of int32, or None
        What is there: 0 for the background, else a key of `labels`.
    labels : dict
        ``"cloth.NAME"`` and ``"body.NAME"`` by their numbers.
    """

    rgb: npt.NDArray[np.uint8] | None
    depth: npt.NDArray[np.float32] | None
    segmentation: npt.NDArray[np.int32] | None
    labels: dict[int, str] = field(default_factory=dict)

    @property
    def rgba(self) -> npt.NDArray[np.uint8]:
        """Colours with an alpha channel that is 0 in the background."""
        if self.rgb is None or self.segmentation is None:
            raise ArgumentError("colours with alpha take a picture with colours and depth")
        alpha = np.where(self.segmentation > 0, 255, 0).astype(np.uint8)
        return np.dstack([self.rgb, alpha])

    def mask(self, label: str) -> npt.NDArray[np.bool_]:
        """Where a cloth or a body is seen: ``picture.mask("cloth.towel")``.

        Parameters
        ----------
        label : str
            One of the values of `labels`.

        Returns
        -------
        (height, width) array of bool
        """
        if self.segmentation is None:
            raise ArgumentError("the picture was made without depth; leave depth=True")
        for number, name in self.labels.items():
            if name == label:
                return self.segmentation == number
        raise KeyError(f"there is no {label!r} in the picture; known here: {', '.join(self.labels.values())}")

    def save(self, path: str | PathLike[str]) -> None:
        """Write the colours as PNG.

        Parameters
        ----------
        path : path
            The file; one that is there is replaced.
        """
        Path(path).write_bytes(self._repr_png_())

    def _repr_png_(self) -> bytes:
        if self.rgb is None:
            raise ArgumentError("the picture was made without colours; leave color=True")
        return png(self.rgb)


def png(rgb: npt.NDArray[np.uint8]) -> bytes:
    """Pixels as a PNG file."""
    height, width, _ = rgb.shape

    def chunk(kind: bytes, content: bytes) -> bytes:
        check = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)

    rows = np.concatenate([np.zeros((height, 1), np.uint8), rgb.reshape(height, 3 * width)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", header),
            chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)),
            chunk(b"IEND", b""),
        ]
    )


class Player:
    """A page that plays frames in three dimensions. A notebook shows it; ``save`` writes it for a browser.

    Attributes
    ----------
    page : str
        The page as HTML, with all that it needs inside.
    """

    def __init__(self, page: str, width: int = 900, height: int = 620) -> None:
        self.page = page
        self._size = (width, height)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page as one file that works offline.

        Parameters
        ----------
        path : path
            The file; one that is there is replaced.
        """
        Path(path).write_text(self.page, encoding="utf-8")

    def _repr_html_(self) -> str:
        width, height = self._size
        return (
            f'<iframe srcdoc="{html.escape(self.page, quote=True)}" width="{width}" height="{height}" '
            'style="border: 0" sandbox="allow-scripts"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<toile.Player of {len(self.page) / 1e6:.1f} MB; player.save('motion.html') writes it for a browser>"
