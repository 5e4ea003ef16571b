"""Tasks with cloth for Gymnasium.

>>> import gymnasium
>>> import toile.envs
>>> env = gymnasium.make("toile/FoldTowel-v0", obs="points")

``gymnasium.make_vec`` makes many of one kind, which step on all cores (`ClothVectorEnv`).
"""

from __future__ import annotations

try:
    import gymnasium as _gymnasium
except ImportError as _error:
    raise ImportError("toile.envs takes gymnasium: pip install toile[gym]") from _error

from ._base import ClothEnv
from .dress_arm import DressArm
from .flatten_towel import FlattenTowel
from .fold_towel import FoldTowel
from .hang_towel import HangTowel
from .spread_tablecloth import SpreadTablecloth
from .vector import ClothVectorEnv

#: The registered ids and their classes.
IDS: dict[str, type[ClothEnv]] = {
    f"toile/{kind.__name__}-v0": kind for kind in (FoldTowel, HangTowel, FlattenTowel, DressArm, SpreadTablecloth)
}

for _id, _kind in IDS.items():
    _gymnasium.register(
        _id,
        entry_point=f"{_kind.__module__}:{_kind.__name__}",
        vector_entry_point=f"toile.envs.vector:many_{_kind.__module__.rpartition('.')[2]}",
    )

__all__ = [
    "IDS",
    "ClothEnv",
    "ClothVectorEnv",
    "DressArm",
    "FlattenTowel",
    "FoldTowel",
    "HangTowel",
    "SpreadTablecloth",
]
