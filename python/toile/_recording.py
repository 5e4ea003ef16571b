"""Recordings: what ``toile run`` and ``sim.save()`` leave, as arrays over the file."""

from __future__ import annotations

import json
import mmap
import struct
import zlib
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _toile
from ._errors import RecordingError
from ._looking import Camera, Player, _said

if TYPE_CHECKING:
    import pyarrow

Floats = npt.NDArray[np.float64]
_MAGIC = b"TOILEFRM"
_VERSION = 2
_MISSING = 0xFFFFFFFF


class Track:
    """One cloth of a recording. ``recording.cloth["name"]`` is one.

    Attributes
    ----------
    name : str
        Its name in the scene.
    nodes : slice
        Which of the recording's nodes are its own.
    """

    def __init__(self, recording: Recording, header: dict[str, Any]) -> None:
        self._recording = recording
        self._header = header
        self.name: str = header["name"]
        self.nodes = slice(header["first_node"], header["first_node"] + header["node_count"])

    @property
    def faces(self) -> npt.NDArray[np.int64]:
        """Corners of its faces from its own first node; -1 in the last place of a triangle."""
        raw = self._recording._array(self._header["faces"], "<u4", 4).astype(np.int64)
        raw[raw == _MISSING] = -1
        return raw

    @property
    def triangles(self) -> npt.NDArray[np.int64]:
        """Its faces as triangles, quads cut from their first to their third corner."""
        faces = self.faces
        quads = faces[faces[:, 3] >= 0]
        if len(quads) == 0:
            return faces[:, :3].copy()
        first, second = faces[:, :3], faces[:, [0, 2, 3]]
        both = np.stack([first, second], axis=1).reshape(-1, 3)
        keep = np.stack([np.ones(len(faces), bool), faces[:, 3] >= 0], axis=1).ravel()
        return both[keep]

    @property
    def edges(self) -> npt.NDArray[np.int64]:
        """Ends of its edges."""
        return self._recording._array(self._header["edges"], "<u4", 2).astype(np.int64)

    @property
    def rest_lengths(self) -> npt.NDArray[np.float32]:
        """Rest lengths of its edges (m)."""
        return self._recording._array(self._header["rest_lengths"], "<f4", 1)[:, 0]

    def positions(self, frame: int) -> Floats:
        """Where its nodes are in a frame (m).

        Parameters
        ----------
        frame : int
            Counted from 0; negative ones from the end.
        """
        return self._recording.positions(frame)[self.nodes]

    def __repr__(self) -> str:
        return f"<toile.Track {self.name!r}: {self._header['node_count']} nodes>"


class Recording:
    """Frames of a run, read where they lie in the file.

    Parameters
    ----------
    path : path
        ``frames.toile``, or the folder of a run that has one.

    Attributes
    ----------
    title : str
    fps : float
    time : (frames,) array
        Times of the frames (s).
    local_positions : (frames, nodes, 3) array of float32
        Where the nodes are from the frame's origin (m). A view of the file: nothing is read before it is looked at.
    origins : (frames, 3) array
        The origins of the frames (m); zero unless the cloth is far from the world's own.
    local_velocities : (frames, nodes, 3) array of float32, or None
        Velocities (m/s), if the recording has them.
    poses : (frames, bodies, 7) array
        Position (m) and rotation (x, y, z, w) of the bodies.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        path = Path(path)
        self.folder = path if path.is_dir() else path.parent
        self.path = path / "frames.toile" if path.is_dir() else path
        try:
            with open(self.path, "rb") as file:
                self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise RecordingError(f"{self.path}: {error}") from error
        header = self._read_header()
        self.title: str = header["title"]
        self.fps: float = header["fps"]
        self._header = header
        nodes, bodies = header["node_count"], len(header["bodies"])
        start, stride = header["frames_offset"], header["frame_stride"]
        needed = 32 + 56 * bodies + 12 * nodes * (2 if header["velocities"] else 1) + 4
        if stride < needed or start > len(self._bytes):
            raise self._corrupt("its header does not belong to its frames")
        count = (len(self._bytes) - start) // stride

        def view(kind: str, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> npt.NDArray[Any]:
            return np.ndarray((count, *shape), kind, self._bytes, start + offset, (stride, *strides))

        at = 32 + 56 * bodies
        self.time: Floats = view("<f8", 0, (), ())
        self.origins: Floats = view("<f8", 8, (3,), (8,))
        self.poses: Floats = view("<f8", 32, (bodies, 7), (56, 8))
        self.local_positions: npt.NDArray[np.float32] = view("<f4", at, (nodes, 3), (12, 4))
        self.local_velocities: npt.NDArray[np.float32] | None = None
        if header["velocities"]:
            self.local_velocities = view("<f4", at + 12 * nodes, (nodes, 3), (12, 4))
        self.cloth: Mapping[str, Track] = {c["name"]: Track(self, c) for c in header["cloths"]}
        self.bodies: list[str] = [body["name"] for body in header["bodies"]]

    def _corrupt(self, what: str) -> RecordingError:
        return RecordingError(f"{self.path} is not a readable frame cache: {what}")

    def _read_header(self) -> dict[str, Any]:
        content = self._bytes
        if len(content) < 20 or content[:8] != _MAGIC:
            raise self._corrupt("it does not begin as one")
        version, length = struct.unpack("<II", content[8:16])
        if version != _VERSION:
            raise RecordingError(
                f"{self.path} has format {version}, and this version of toile reads format {_VERSION}; "
                "run the scene again with it"
            )
        if 20 + length > len(content):
            raise self._corrupt("it is cut off")
        try:
            header = json.loads(content[20 : 20 + length])
            known = ("title", "fps", "node_count", "frames_offset", "frame_stride", "velocities", "cloths", "bodies")
            missing = [name for name in known if name not in header]
        except (ValueError, TypeError) as error:
            raise self._corrupt(str(error)) from error
        if missing:
            raise self._corrupt(f"its header has no {missing[0]}")
        (check,) = struct.unpack("<I", content[16:20])
        start = header["frames_offset"]
        if not isinstance(start, int) or not 20 + length <= start <= len(content):
            raise self._corrupt("its header does not belong to its frames")
        found = zlib.crc32(content[20:start], zlib.crc32(content[:16]))
        if found != check:
            raise self._corrupt("its checksum is wrong")
        return dict(header)

    def _array(self, place: dict[str, int], kind: str, width: int) -> npt.NDArray[Any]:
        size = np.dtype(kind).itemsize
        if place["offset"] + place["count"] * width * size > len(self._bytes):
            raise self._corrupt("an array reaches beyond its end")
        return np.ndarray((place["count"], width), kind, self._bytes, place["offset"])

    def __len__(self) -> int:
        return len(self.time)

    def _frame(self, frame: int) -> int:
        count = len(self)
        if not -count <= frame < count:
            raise IndexError(f"{self.path} has {count} frames; frame {frame} was asked for (they count from 0)")
        return frame % count

    def positions(self, frame: int) -> Floats:
        """Where the nodes are in a frame (m), in the world.

        Parameters
        ----------
        frame : int
            Counted from 0; negative ones from the end.
        """
        frame = self._frame(frame)
        return self.origins[frame] + self.local_positions[frame]

    def check(self) -> None:
        """Look whether all frames are as they were written.

        Raises
        ------
        RecordingError
            For the first one that is not.
        """
        start, stride = self._header["frames_offset"], self._header["frame_stride"]
        for frame in range(len(self)):
            content = self._bytes[start + frame * stride : start + (frame + 1) * stride]
            if zlib.crc32(content[:-4]) != struct.unpack("<I", content[-4:])[0]:
                raise RecordingError(
                    f"{self.path}: frame {frame} (counted from 0) is damaged, its checksum is wrong; run the scene again"
                )

    def metrics(self) -> pyarrow.Table:
        """The table ``metrics.csv`` beside the frames (needs pyarrow)."""
        from ._table import read_table

        return read_table(self.folder / "metrics.csv")

    def render(
        self,
        frame: int = -1,
        width: int = 640,
        height: int = 480,
        camera: Camera | Mapping[str, Any] | None = None,
        *,
        quality: str = "good",
        stretch: float | None = None,
        wireframe: bool = False,
    ) -> npt.NDArray[np.uint8]:
        """A frame as a picture: (height, width, 3) numbers from 0 to 255.

        Parameters
        ----------
        frame : int
            Counted from 0; negative ones from the end.
        width, height : int
            Size in pixels.
        camera : Camera or dict, optional
            As for ``Simulation.render``; by default one that holds the whole motion in view.
        quality : {"good", "draft", "fine"}
            Samples per pixel, shadows.
        stretch : float, optional
            Colour the cloth by its strain, with this one at the ends of the colours.
        wireframe : bool
            Draw the mesh.
        """
        number = self._frame(frame)
        return _toile._picture(self.path, number, width, height, _said(camera), quality, stretch, wireframe)

    def show(self, *, budget: int = 8 << 20) -> Player:
        """The player, which a notebook shows inline.

        Parameters
        ----------
        budget : int
            Frames are left out evenly above so many bytes.
        """
        return Player(_toile._player(self.path, budget))

    def export(
        self,
        path: str | PathLike[str],
        format: str | None = None,
        *,
        every: int = 1,
        force: bool = False,
        up: str = "z",
    ) -> list[Path]:
        """Write it as glTF, USD, VTK, OBJ, PLY or a point cache. Answers the files.

        Parameters
        ----------
        path : path
            The file; its ending says as what: ``.glb``, ``.usda``, ``.vtu``, ``.obj``, ``.ply``, ``.pc2`` or ``.mdd``.
        format : str, optional
            The format, if the ending does not say it.
        every : int
            Take every n-th frame.
        force : bool
            Replace files that are there.
        up : {"z", "y"}
            Which axis is up in OBJ, PLY, PC2 and MDD; the other formats say it themselves.
        """
        files, _ = _toile._export(self.path, Path(path), format, every, force, up)
        return [Path(file) for file in files]

    def plot(self, columns: list[str] | None = None) -> Any:
        """Plot columns of ``metrics.csv`` over time (needs matplotlib and pyarrow). Answers the figure.

        Parameters
        ----------
        columns : list of str, optional
            Which ones; those of stretch and gap by default.
        """
        from ._table import plot

        return plot(self.metrics(), columns, title=self.title)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as the place of its file."""
        return (type(self), (self.path,))

    def __repr__(self) -> str:
        return f"<toile.Recording {self.title!r}: {len(self)} frames of {self._header['node_count']} nodes>"
