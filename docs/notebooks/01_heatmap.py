# %% [markdown]
# # From a floor plan to a heatmap
#
# A flat of 15 by 15 metres, an access point in its corridor, and the received power at every point of the floor.
#
# Run it in the root of the source, where `floorplans/` is.
# %%
import matplotlib.pyplot as plt
import numpy as np

import planwave as pw

scenario = pw.Scenario("floorplans/flat.yaml")
# %% [markdown]
# ## What will be solved
#
# `setup()` draws the plan on the grid and chooses what the scenario leaves open: scheme, cell, time step, frequencies. Nothing is solved
# yet, and it already says how long that will take and how far the answer may be off.
# %%
setup = scenario.setup()
facts, forecast = setup.facts, setup.forecast()
print(
    f"{facts.nx} x {facts.ny} cells of {facts.cell * 1e3:.1f} mm, scheme {facts.scheme}, {facts.frequency_count} frequencies"
)
print(f"on {forecast.backend} ({forecast.device})")
print(
    f"forecast: local means of the power within {facts.local_mean_error:.1f} dB, powers at a point within {facts.point_error:.1f} dB"
)
print(pw.forecast_words())
# %% [markdown]
# ## Solve and look
#
# Without a path the result is a temporary file; `setup.run("flat.h5")` keeps it. A map is an array with its axes; `plot()` draws it as
# planwave's own pictures are. `local_mean` averages over a square of a wavelength, as a receiver that moves a little does.
# %%
result = setup.run()
signal = result.map("received-power", local_mean=True)
signal.plot()
plt.show()
# %% [markdown]
# The numbers are those of the floor inside the building; the map says what it counted.
# %%
print(signal)
print("counted:", signal.floor.text, f"({signal.floor.square_metres:.0f} m²)")
low, median, high = signal.quantile([0.1, 0.5, 0.9])
print(
    f"10 % of the floor are under {low:.1f} dBm, half of it under {median:.1f} dBm, 90 % under {high:.1f} dBm"
)
for share in result.coverage([-30, -40, -50], local_mean=True):
    print(f"{100 * share.fraction:5.1f} % of the floor are over {share.threshold:.0f} dBm")
# %% [markdown]
# ## A plan of your own
#
# A plan can be an array of pixels as well: relative permittivity and conductivity, row 0 at the bottom. Here are a room with a door in
# its inner wall, and beside it the same room with the door shut.
# %%
open_door = np.ones((120, 160))
open_door[:6, :] = open_door[-6:, :] = open_door[:, :6] = open_door[:, -6:] = (
    4.0  # outer walls, 30 cm
)
open_door[:, 90:94] = 4.0  # inner wall, 20 cm
open_door[40:60, 90:94] = 1.0
shut_door = open_door.copy()
shut_door[40:60, 90:94] = 4.0

figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
for ax, permittivity, title in zip(axes, (open_door, shut_door), ("door open", "door shut")):
    plan = pw.Plan(permittivity, "5 cm", conductivity=np.where(permittivity > 1, 0.05, 0.0))
    small = {
        "band": {"centre": "900 MHz", "width": "60 MHz"},
        "transmitters": [{"name": "ap", "at": [2, 2], "power": "20 dBm"}],
    }
    room = pw.Scenario(small, plan=plan).run()
    room.map(local_mean=True).plot(ax, title=False, scale=False, minimum=-50, maximum=0)
    ax.set_title(title)
plt.show()
# %% [markdown]
# ## Further
#
# - `result.report("flat.html")` writes a page to explore the result in a browser.
# - `result.to_xarray()` and `signal.to_xarray()` give datasets with their coordinates.
# - The same on the command line: `planwave run floorplans/flat.yaml -o flat.h5` and `planwave map flat.h5 --local-mean`.
