"""A scene in motion: what the engine does, and what only Python needs."""

from __future__ import annotations

import difflib
import operator
import tempfile
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _toile
from ._errors import ArgumentError
from ._looking import Camera, Picture, Player, _said
from ._recording import Recording

if TYPE_CHECKING:
    from typing_extensions import Self

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Cloth:
    """One cloth of a simulation: parts of the arrays of the whole. ``sim.cloth["name"]`` is one.

    Numbers in ``faces``, ``triangles`` and ``edges`` count from the cloth's own first node.

    Attributes
    ----------
    name : str
        Its name in the scene.
    nodes : slice
        Which of the scene's nodes are its own.
    """

    def __init__(self, sim: _toile.Simulation, name: str, ranges: tuple[slice, slice, slice, slice]) -> None:
        self._sim = sim
        self.name = name
        self.nodes = ranges[0]
        self._faces, self._triangles, self._edges = ranges[1:]

    @property
    def positions(self) -> Floats:
        """Where its nodes are (m)."""
        return self._sim.positions[self.nodes]

    @property
    def velocities(self) -> Floats:
        """Their velocities (m/s)."""
        return self._sim.velocities[self.nodes]

    @property
    def masses(self) -> Floats:
        """Their masses (kg)."""
        return self._sim.masses[self.nodes]

    @property
    def faces(self) -> Ints:
        """Corners of its faces; -1 in the last place of a triangle beside quads."""
        own = self._sim.faces[self._faces]
        return np.where(own < 0, own, own - self.nodes.start)

    @property
    def triangles(self) -> Ints:
        """Its faces as triangles."""
        return self._sim.triangles[self._triangles] - self.nodes.start

    @property
    def edges(self) -> Ints:
        """Ends of its edges."""
        return self._sim.edges[self._edges] - self.nodes.start

    @property
    def rest_lengths(self) -> Floats:
        """Rest lengths of its edges (m)."""
        return self._sim.rest_lengths[self._edges]

    @property
    def uv(self) -> npt.NDArray[np.float32] | None:
        """Texture coordinates of its faces' corners, NaN where there are none; None if the scene has none at all."""
        uv = self._sim.uv
        return None if uv is None else uv[self._faces]

    def __len__(self) -> int:
        return int(self.nodes.stop - self.nodes.start)

    def __repr__(self) -> str:
        return f"<toile.Cloth {self.name!r}: {len(self)} nodes>"


class _Named(Mapping[str, Any]):
    """Things by name; a wrong one is answered with those there are."""

    def __init__(self, what: str, entries: dict[str, Any]) -> None:
        self._what = what
        self._entries = entries

    def __getitem__(self, name: str) -> Any:
        try:
            return self._entries[name]
        except KeyError:
            known = ", ".join(self._entries) or "the scene has none"
            raise KeyError(f"there is no {self._what} `{name}`; known here: {known}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"{{{', '.join(map(repr, self._entries))}}}"


class Simulation(_toile.Simulation):
    __doc__ = _toile.Simulation.__doc__

    def __setattr__(self, name: str, value: Any) -> None:
        # `sim.gravty = …` would be kept and mean nothing. Names that are like none of ours are their owner's business.
        if not hasattr(type(self), name):
            known = [known for known in dir(Simulation) if not known.startswith("_")]
            like = difflib.get_close_matches(name, known, 1, 0.8)
            if like:
                raise AttributeError(f"a simulation has no `{name}`; did you mean `{like[0]}`?")
        super().__setattr__(name, value)

    @property
    def cloth(self) -> Mapping[str, Cloth]:
        """The cloths by name."""
        cloths = {}
        for name, *ranges in self._cloths:
            nodes, faces, triangles, edges = (slice(*r) for r in ranges)
            cloths[name] = Cloth(self, name, (nodes, faces, triangles, edges))
        return _Named("cloth", cloths)

    @property
    def body(self) -> Mapping[str, _toile.Body]:
        """The bodies by name."""
        return _Named("body", {name: self._body(name) for name in self._body_names})

    def clone(self) -> Self:
        """A copy that shares the model and goes its own way, to the same bits."""
        return type(self)(self._copy())

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.clone()

    def render(
        self,
        width: int = 640,
        height: int = 480,
        camera: Camera | Mapping[str, Any] | None = None,
        *,
        quality: str = "good",
        stretch: float | None = None,
        wireframe: bool = False,
        color: bool = True,
        depth: bool = True,
    ) -> Picture:
        """What a camera sees now. It takes no GPU and no display.

        Parameters
        ----------
        width, height : int
            Size in pixels.
        camera : Camera or dict, optional
            Where from: a ``toile.Camera``, or ``azimuth``, ``elevation`` (degrees) and ``zoom`` about the cloth as it starts. The
            scene's own by default.
        quality : {"good", "draft", "fine"}
            Samples per pixel, shadows.
        stretch : float, optional
            Colour the cloth by its strain, with this one at the ends of the colours.
        wireframe : bool
            Draw the mesh.
        color, depth : bool
            What is made: colours; distances and segmentation.

        Returns
        -------
        Picture
        """
        arrays = self._render(width, height, _said(camera), quality, stretch, wireframe, color, depth)
        names = [f"cloth.{name}" for name, *_ in self._cloths] + [f"body.{name}" for name in self._body_names]
        return Picture(*arrays, labels=dict(enumerate(names, start=1)))

    def show(self, *, budget: int = 8 << 20) -> Player:
        """The player: of the frames kept since ``record()``, or of the state as it is. A notebook shows it inline.

        Parameters
        ----------
        budget : int
            Frames are left out evenly above so many bytes.

        Returns
        -------
        Player
        """
        with tempfile.TemporaryDirectory(prefix="toile-") as folder:
            return self._saved(folder).show(budget=budget)

    def export(
        self,
        path: str | PathLike[str],
        format: str | None = None,
        *,
        every: int = 1,
        force: bool = False,
        up: str = "z",
    ) -> list[Path]:
        """Write the frames kept since ``record()``, or the state as it is, for other programs.

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

        Returns
        -------
        list of Path
            The files.
        """
        with tempfile.TemporaryDirectory(prefix="toile-") as folder:
            return self._saved(folder).export(path, format, every=every, force=force, up=up)

    def _saved(self, folder: str) -> Recording:
        path = Path(folder) / "frames.toile"
        self.save(path)
        return Recording(path)

    def to_trimesh(self, cloth: str | None = None) -> Any:
        """The cloth as it is, as a ``trimesh.Trimesh`` (needs trimesh).

        Parameters
        ----------
        cloth : str, optional
            Which cloth; all of them in one mesh if none is named.
        """
        try:
            import trimesh
        except ImportError as error:
            raise ImportError("this takes trimesh: pip install 'toile[mesh]'") from error
        if cloth is None:
            return trimesh.Trimesh(self.positions.copy(), self.triangles.copy(), process=False)
        own = self.cloth[cloth]
        return trimesh.Trimesh(own.positions.copy(), own.triangles, process=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as the scene and a snapshot; what it goes on to is the same bits."""
        return (_unpickle, (type(self), self._recipe(), self.snapshot()))


def _unpickle(kind: type[Simulation], recipe: Any, snapshot: bytes) -> Simulation:
    return kind(_toile._rebuild(recipe, snapshot))


class Grasps:
    """The same grasp in every world of a batch. ``batch.grasp(…)`` makes one; arrays have a row for each world."""

    def __init__(self, grasps: list[_toile.Grasp]) -> None:
        self._grasps = grasps

    def _rows(self, what: str, given: npt.ArrayLike, width: int) -> list[Floats]:
        try:
            # Complex numbers would lose a part without an error.
            rows = np.asarray(given).astype(float, casting="same_kind")
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"{what} is not an array of numbers: {error}") from None
        count = len(self._grasps)
        if rows.shape not in ((width,), (count, width)):
            raise ArgumentError(f"{what} has the shape {rows.shape}; it must be {width} numbers, or {count} rows of them")
        if not np.isfinite(rows).all():
            raise ArgumentError(f"{what} must be finite")
        return list(np.broadcast_to(rows, (count, width)))

    def _chosen(self, mask: npt.ArrayLike | None) -> list[int]:
        count = len(self._grasps)
        if mask is None:
            return list(range(count))
        chosen = np.asarray(mask)
        if chosen.shape != (count,) or chosen.dtype != bool:
            raise ArgumentError(f"the mask must be {count} truth values, one for each world")
        return [int(k) for k in np.flatnonzero(chosen)]

    def _held(self, mask: npt.ArrayLike | None) -> list[int]:
        """The worlds of a mask, in each of which it must still hold: none is led if one cannot be."""
        chosen = self._chosen(mask)
        for k in chosen:
            self._grasps[k].force
        return chosen

    def move_to(
        self,
        position: npt.ArrayLike | None = None,
        rotation: npt.ArrayLike | None = None,
        *,
        within: float = 0.0,
        mask: npt.ArrayLike | None = None,
    ) -> None:
        """Lead them, each to its own pose or all to the same, as ``Grasp.move_to`` does.

        Parameters
        ----------
        position : (3,) or (worlds, 3) array, optional
            Where their frames are to be (m).
        rotation : (4,) or (worlds, 4) array, optional
            Quaternions (x, y, z, w).
        within : float
            Evenly within so many seconds.
        mask : (worlds,) array of bool, optional
            The worlds in which they are led.
        """
        positions = None if position is None else self._rows("the position", position, 3)
        rotations = None if rotation is None else self._rows("the rotation", rotation, 4)
        if rotations is not None and any(abs(np.linalg.norm(turn) - 1.0) > 1e-6 for turn in rotations):
            raise ArgumentError("the rotation must be quaternions (x, y, z, w) of length 1")
        for k in self._held(mask):
            place = None if positions is None else positions[k]
            turn = None if rotations is None else rotations[k]
            self._grasps[k].move_to(place, turn, within=within)

    def release(self, mask: npt.ArrayLike | None = None) -> None:
        """Let go.

        Parameters
        ----------
        mask : (worlds,) array of bool, optional
            The worlds in which they let go.
        """
        for k in self._held(mask):
            self._grasps[k].release()

    @property
    def is_held(self) -> npt.NDArray[np.bool_]:
        """Which of them still hold."""
        return np.array([grasp.is_held for grasp in self._grasps])

    @property
    def position(self) -> Floats:
        """Where their frames are (m)."""
        return np.array([grasp.position for grasp in self._grasps])

    @property
    def velocity(self) -> Floats:
        """Velocities of their frames (m/s); set, they go on and on with them."""
        return np.array([grasp.velocity for grasp in self._grasps])

    @velocity.setter
    def velocity(self, value: npt.ArrayLike) -> None:
        velocities = self._rows("the velocity", value, 3)
        for k in self._held(None):
            self._grasps[k].velocity = velocities[k]

    @property
    def force(self) -> Floats:
        """The forces of the cloth on whoever holds it (N)."""
        return np.array([grasp.force for grasp in self._grasps])

    @property
    def torque(self) -> Floats:
        """The torques about the origins of the frames (N·m)."""
        return np.array([grasp.torque for grasp in self._grasps])

    def __getitem__(self, index: int) -> _toile.Grasp:
        return self._grasps[index]

    def __len__(self) -> int:
        return len(self._grasps)


class Batch(_toile.Batch):
    __doc__ = _toile.Batch.__doc__

    def __getitem__(self, index: int) -> Simulation:
        """A world, to be commanded and asked by itself."""
        count = len(self)
        try:
            number = operator.index(index)
        except TypeError:
            raise TypeError(f"a world is named by its number, and not by {index!r}; list(batch) has all of them") from None
        if not -count <= number < count:
            raise IndexError(f"there is no world {number}; the worlds are 0 to {count - 1}")
        return Simulation(self._world(number % count))

    def __iter__(self) -> Iterator[Simulation]:
        return (self[k] for k in range(len(self)))

    def grasp(self, nodes: Any = None, **where: Any) -> Grasps:
        """Take hold of the same place in every world: in all of them, or where it fails in none.

        Parameters
        ----------
        nodes : int or sequence of int, optional
            Numbers of nodes.
        **where
            What else ``Simulation.grasp`` takes.

        Returns
        -------
        Grasps
        """
        made: list[_toile.Grasp] = []
        try:
            for world in self:
                made.append(world.grasp(nodes, **where))
        except Exception:
            for grasp in made:
                grasp.release()
            raise
        return Grasps(made)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as the scenes and snapshots of its worlds."""
        recipes = [world._recipe() for world in self]
        return (_unpickle_batch, (type(self), recipes, self.snapshot()))


def _unpickle_batch(kind: type[Batch], recipes: list[Any], snapshots: list[bytes]) -> Batch:
    handles = [_toile._rebuild(recipe, snapshot) for recipe, snapshot in zip(recipes, snapshots)]
    return kind(handles)
