# %% [markdown]
# # A sweep
#
# One scenario with many values: three materials of the inner walls by two places of the access point, put together into one array.
# %%
import tempfile
from pathlib import Path

import h5py
import matplotlib.pyplot as plt
import numpy as np

import planwave as pw

folder = Path(tempfile.mkdtemp())
# %% [markdown]
# A sweep is a file: what is varied, what all cases have, and a design, here a grid. What `set` fixes gives all cases the same lattice and time
# step, so that they fit into one array. Paths in it are taken from its own folder.
# %%
text = f"""
scenario: {Path("floorplans/flat.yaml").resolve()}
set:
  band: {{centre: 1.1 GHz, width: 80 MHz}}
  grid: {{scheme: fd4o, cell: 3 cm, courant: 0.6}}
  spectra: {{count: 16, spacing: 4 cells}}
grid:
  wall: {{key: "plan.legend.#3060c0", values: [plasterboard, wood, brick]}}
  place: {{key: transmitters.ap1.at, values: [[7.68 m, 7.68 m, 2.3 m], [2 m, 7.68 m, 2.3 m]]}}
"""
(folder / "walls.yaml").write_text(text)
sweep = pw.Sweep(folder / "walls.yaml")
print(len(sweep), "cases")
for axis in sweep.axes:
    print(axis.name, axis.keys, axis.values)
# %% [markdown]
# `run` solves the cases that are not done, one after another, and goes on with one that was stopped. For a scheduler each case is a command of its
# own: `planwave sweep list` prints them for GNU parallel, Snakemake or Slurm.
# %%
print(sweep.run(), "solved")
print(sweep.run(), "solved by a second call;", sweep.state(0)[0])
# %% [markdown]
# ## One file for all
#
# `collect` writes virtual datasets over the outputs, with the axes of the sweep in front. It copies nothing.
# %%
print(sweep.collect(folder / "walls.h5"))
with h5py.File(folder / "walls.h5") as file:
    file.visititems(
        lambda name, item: (
            print(f"{name:40} {item.shape}")
            if isinstance(item, h5py.Dataset) and item.ndim > 2
            else None
        )
    )
# %% [markdown]
# ## Look
#
# Every output is a result like any other.
# %%
figure, axes = plt.subplots(2, 3, figsize=(11, 7), layout="constrained")
tenths = np.empty((3, 2))
for case in sweep:
    wall, place = divmod(case.index, 2)
    signal = sweep.open(case.index).map(local_mean=True)
    signal.plot(
        axes[place, wall],
        title=False,
        scale=False,
        stations=False,
        colour_bar=place == 0 and wall == 2,
        minimum=-60,
        maximum=-10,
    )
    axes[place, wall].set_title(
        f"{['plasterboard', 'wood', 'brick'][wall]}, {['middle', 'west'][place]}"
    )
    tenths[wall, place] = signal.quantile(0.1)
plt.show()
print(
    "power that 90 % of the floor have [dBm]; rows: plasterboard, wood, brick; columns: middle, west"
)
print(tenths.round(1))
