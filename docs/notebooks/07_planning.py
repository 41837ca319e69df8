# %% [markdown]
# # Planning
#
# Where do the access points go, and how sure is that? A choice with a proof, then draws of what is not known of the walls.
# %%
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import planwave as pw

folder = Path(tempfile.mkdtemp())
# %% [markdown]
# ## Where do they go?
#
# Four rooms of brick. Candidates stand on a grid; access points are like the first transmitter of the scenario.
# %%
wall = {"thickness": "24 cm", "material": "brick"}
rooms = pw.Scenario(
    {
        "title": "Four rooms",
        "plan": {
            "size": [8, 6],
            "walls": [
                {"from": [0, 3], "to": [8, 3], **wall},
                {"from": [4, 0], "to": [4, 6], **wall},
                *({"from": a, "to": b, **wall} for a, b in (([0, 0], [8, 0]), ([8, 0], [8, 6]), ([8, 6], [0, 6]), ([0, 6], [0, 0]))),
            ],
            "openings": [{"from": [3.8, 0.8], "to": [4.2, 1.7]}, {"from": [5.6, 2.8], "to": [6.5, 3.2]}],
        },
        "band": {"centre": "700 MHz", "width": "60 MHz"},
        "transmitters": [{"name": "ap", "at": [2, 1.5], "power": "10 dBm"}],
    }
)
siting = rooms.siting("1.5 m", places="50 cm")
print(siting, siting.facts.why)
answer = siting.choose(level=-35, share=0.95)
print(siting.report(answer))
# %% [markdown]
# The levels are known now, so that other needs cost no more runs: how much of the floor do one, two, three access points reach, and how much
# would all candidates together?
# %%
for count in (1, 2, 3):
    best = siting.choose(level=-35, best=count)
    print(f"{count}: {100 * best.share:5.1f} % of the floor, at most {100 * best.share_bound:5.1f} % by any choice; at {best.positions[:, :2].round(1).tolist()}")
print(f"all: {100 * answer.most_share:.1f} %")
plan = siting.assign_channels(answer, ["1", "6", "11"])
print("channels", plan.channels, "; SINR of the worst 5 % of the floor", round(plan.sinr[0], 1), "dB, on one channel", round(plan.single_sinr[0], 1), "dB")
siting.write(answer, scenario=folder / "answer.yaml")
# %% [markdown]
# ## How sure is it?
#
# The answer is a scenario like any other. Brick is known to a fifth or so, and its conductivity to a half; each draw is a run.
# %%
sure = pw.Scenario(folder / "answer.yaml").uncertainty(
    {"brick:permittivity": "20 %", "brick:conductivity": "50 %"}, samples=8, local_mean=True, thresholds=[-35]
)
share = sure.shares[0]
print(f"over -35 dBm: {100 * share.p10:.1f} to {100 * share.p90:.1f} % of the floor (P10 to P90), {100 * share.nominal:.1f} % as written")
for name, one in sure.sensitivity.items():
    print(f"{name:20} {100 * one.alone:5.1f} % of the variance")
figure, axes = plt.subplots(1, 2, figsize=(11, 3.8), layout="constrained", sharey=True)
extent = (sure.x[0], sure.x[-1], sure.y[0], sure.y[-1])
for ax, values, title, colours in (
    (axes[0], sure.p10, "P10 of the received power [dBm]", "viridis"),
    (axes[1], sure.p90 - sure.p10, "P90 - P10 [dB]", "magma"),
):
    figure.colorbar(ax.imshow(np.where(sure.floor.counted, values, np.nan), origin="lower", extent=extent, cmap=colours), ax=ax)
    ax.plot(*answer.positions[:, :2].T, "^", color="#d01c1c", markeredgecolor="white", markersize=9)
    ax.set_title(title)
    ax.set_xlabel("x [m]")
axes[0].set_ylabel("y [m]")
plt.show()
# %% [markdown]
# ## For other programs
#
# `export` writes the plan with its access points as SVG, GeoJSON, OpenIntent or a table.
# %%
print(pw.export_formats())
print(pw.Scenario(folder / "answer.yaml").export(folder / "answer.geojson"), len((folder / "answer.geojson").read_text()), "characters")
