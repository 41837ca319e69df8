"""Pictures by matplotlib that look like planwave's own: the same colours and ranges, walls on top, stations, a scale in metres."""

from __future__ import annotations

import math
import os
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import errors
from ._library import Watch
from ._shown import png_of
from .options import whole

if TYPE_CHECKING:
    from .channel import Channel
    from .facts import Receiver, Transmitter, Walls
    from .maps import Map
    from .result import ProgressOfWork, Result
    from .scenario import PathLike
    from .scenes.described import FloorPlan
    from .setups import Setup

CATEGORIES = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999")
UNDEFINED = "#606064"
INK, FAINT, FRAME = "#202020", "#606060", "#404040"
POWERS = ("received-power", "best-server", "snr", "sinr")
STATION_LABELS = 12
LONG_SIDE = 1040  # pixels
STATION_REACH = 1.0  # m: receivers farther from a sheet are not shown on it


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as missing:
        raise errors.NoResource("pictures need matplotlib: pip install 'planwave[plot]'") from missing
    return pyplot


def _round_step(span: float) -> float:
    """1, 2 or 5 times a power of ten that divides the span into about eight."""
    decade = 10.0 ** math.floor(math.log10(span / 8.0))
    parts = span / 8.0 / decade
    return decade * (1.0 if parts < 1.5 else 2.0 if parts < 3.5 else 5.0 if parts < 7.5 else 10.0)


def colour_range(signal: Map) -> tuple[float, float]:
    """The ends of the colour bar as planwave chooses them: the darkest corners and the cells beside a transmitter are clipped."""
    values = np.sort(signal.values[np.isfinite(signal.values)])
    if values.size == 0:
        return 0.0, 1.0
    excess = signal.unit in ("ns", "MHz")
    least = float(values[values.size // (500 if signal.falls else 50)])
    least = min(0.0, least) if excess else least
    most = float(values[int((0.98 if signal.falls else 0.998) * (values.size - 1))])
    step = 5.0 if not excess else _round_step(most - least) if most > least else 1.0
    low, high = step * math.floor(least / step), step * math.ceil(most / step)
    return low, high if high > low else low + step


def wall_image(walls: Walls) -> npt.NDArray[np.float64]:
    """Walls as an image (row, column, rgba): dark, the denser the darker, with a light line of air around them."""
    times = max(1, round(LONG_SIDE / max(walls.solid.shape)))  # so that the lines around walls are as thin as a screen's
    solid = walls.solid.repeat(times, 0).repeat(times, 1).astype(float)
    permittivity = walls.relative_permittivity.repeat(times, 0).repeat(times, 1)
    wall = solid > 0
    padded = np.pad(wall, 1, mode="edge")
    beside = [padded[1:-1, :-2], padded[1:-1, 2:], padded[:-2, 1:-1], padded[2:, 1:-1]]
    near_wall, near_air = np.any(beside, axis=0), ~np.all(beside, axis=0)
    dense = np.clip(0.35 + 0.5 * (permittivity - 1.0), 0.35, 1.0)
    image = np.zeros((*solid.shape, 4))
    image[..., :3] = np.where(wall, 22 / 255, 1.0)[..., np.newaxis]
    image[..., 3] = np.where(wall, np.where(near_air | (solid == 255), 0.92, 0.6 * dense), np.where(near_wall, 0.62, 0.0))
    return image


def _extent(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Edges of the first and last cells."""
    half_x = 0.5 * (x[1] - x[0]) if x.size > 1 else 0.5
    half_y = 0.5 * (y[1] - y[0]) if y.size > 1 else 0.5
    return x[0] - half_x, x[-1] + half_x, y[0] - half_y, y[-1] + half_y


def draw_walls(ax: Any, walls: Walls) -> None:
    """Lays walls over what is drawn on the axes."""
    ax.imshow(wall_image(walls), origin="lower", extent=_extent(walls.x, walls.y), interpolation="antialiased", zorder=2)


def _station(ax: Any, where: tuple[float, float], label: str | None, transmitter: bool) -> None:
    x, y = where
    ax.plot(x, y, "o", color="white", markersize=9 if transmitter else 7, zorder=4)
    ax.plot(x, y, "^" if transmitter else "o", color="#d01c1c" if transmitter else INK, markersize=6 if transmitter else 4.5, zorder=5)
    if label is None:
        return
    left, right = ax.get_xlim()
    east = x < left + 0.85 * (right - left)
    ax.annotate(
        label,
        (x, y),
        xytext=(8 if east else -8, 0),
        textcoords="offset points",
        ha="left" if east else "right",
        va="center",
        fontsize=8,
        color="#101010",
        zorder=6,
        bbox={"boxstyle": "square,pad=0.12", "facecolor": "white", "alpha": 0.75, "linewidth": 0},
    )


def draw_stations(ax: Any, result: Result, transmitter: str | None = None, *, normal: int = 2, position: float | None = None) -> None:
    """Draws transmitters (all, or one of them) and receivers on a map; `normal` and `position` are those of a sheet."""

    def place(station: Transmitter | Receiver) -> tuple[tuple[float, float], float]:
        at = (station.x, station.y, station.height)
        away = 0.0 if position is None or not math.isfinite(at[normal]) else abs(at[normal] - position)
        return (at[1] if normal == 0 else at[0], at[1] if normal == 2 else at[2]), away

    senders = [sender for name, sender in result.transmitters.items() if transmitter in (None, name)]
    for number, receiver in enumerate(result.receivers.values()):
        where, away = place(receiver)
        if away <= STATION_REACH:
            _station(ax, where, receiver.name if number < STATION_LABELS else None, False)
    for number, sender in enumerate(senders):
        _station(ax, place(sender)[0], sender.name if number < STATION_LABELS else None, True)


def draw_scale(ax: Any) -> None:
    """A bar of a round length in metres under the axes, about a fifth of their width."""
    left, right = ax.get_xlim()
    decade = 10.0 ** math.floor(math.log10((right - left) / 5.0))
    parts = (right - left) / 5.0 / decade
    metres = decade * (1.0 if parts < 1.5 else 2.0 if parts < 3.5 else 5.0 if parts < 7.5 else 10.0)
    along = ax.get_xaxis_transform()
    ax.plot([left, left + metres], [-0.13, -0.13], "|-", transform=along, color=INK, linewidth=1.5, markersize=6, clip_on=False)
    ax.text(left + metres, -0.13, f"  {metres:g} m", transform=along, va="center", fontsize=9, color=INK)


def _frame(ax: Any, names: tuple[str, str]) -> None:
    ax.set_xlabel(f"{names[0]} [m]")
    ax.set_ylabel(f"{names[1]} [m]")
    ax.tick_params(colors=INK, direction="out")
    for spine in ax.spines.values():
        spine.set_color(FRAME)
        spine.set_zorder(7)


def _figure(tall: float) -> tuple[Any, Any]:
    """Axes `tall` times as high as they are wide, with room for titles and scale, and axes for the colour bar, laid out in inches."""
    side = 5.6
    width, height = 0.7 + side + 1.5, 0.95 + side * tall + 0.7
    figure = _pyplot().figure(figsize=(width, height))
    ax = figure.add_axes((0.7 / width, 0.95 / height, side / width, side * tall / height))
    return ax, figure.add_axes(((0.7 + side + 0.2) / width, 0.95 / height, 0.17 / width, side * tall / height))


def _colour_bar(ax: Any, beside: Any, image: Any, signal: Map, low: float, high: float) -> None:
    finite = signal.values[np.isfinite(signal.values)]
    over, under = (float(np.mean(beyond)) if finite.size else 0.0 for beyond in (finite > high, finite < low))
    extend = {(False, False): "neither", (True, False): "max", (False, True): "min", (True, True): "both"}[(over > 0.0, under > 0.0)]
    place = {"cax": beside} if beside is not None else {"ax": ax, "fraction": 0.046, "pad": 0.03}
    bar = ax.figure.colorbar(image, extend=extend, extendfrac=0.02, **place)
    high_enough = ax.get_position().height * ax.figure.get_figheight() > 3.9  # inches that a long label takes in one line
    words = f"{' ' if high_enough else chr(10)}{signal.reference}" if signal.reference else ""
    bar.set_label(f"{signal.name} [{signal.unit}]{words}", color=INK)
    bar.outline.set_edgecolor(FRAME)
    for share, y, side in ((over, 1.025, f"over {high:g}"), (under, -0.025, f"under {low:g}")):
        if share > 0.0:
            bar.ax.text(1.4, y, f"{side}: {100.0 * share:.2g} %", transform=bar.ax.transAxes, fontsize=7, va="center", color=FRAME)


def _titles(ax: Any, signal: Map) -> None:
    result = signal.result
    facts, senders = result.facts, result.transmitters
    title = signal.name[:1].upper() + signal.name[1:] + (f": {facts.title}" if facts.title else "")
    power = signal.quantity in POWERS
    powers = sorted({sender.power for name, sender in senders.items() if signal.transmitter in (None, name)})
    who = signal.transmitter or (f"the strongest of {len(senders)} transmitters" if len(senders) > 1 else next(iter(senders)))
    eirp = f"{powers[0]:g} dBm EIRP" if len(powers) == 1 else f"{powers[0]:g} to {powers[-1]:g} dBm EIRP"
    parts = [f"{who}, {eirp}" if power else who, f"{facts.band_centre * 1e-9:.4g} GHz, band {facts.band_width * 1e-6:.4g} MHz"]
    if facts.dimensions == 2:
        parts.append("2D, no step to 3D" if signal.spreading == "none" else f"2D to 3D by {signal.spreading}")
    if result.level_interval > 0.0 and signal.quantity in ("path-gain", "path-loss", *POWERS):
        parts.append(f"19 of 20 measured levels within {result.level_interval:.3g} dB")
    if signal.mean_width > 0.0:
        parts.append(f"mean over {signal.mean_width:.3g} m")
    sheet = signal.sheet
    if sheet is not None and (facts.dimensions == 3 or facts.horizontal):
        parts.append(f"{'xyz'[sheet.normal]} = {sheet.position:.2f} m" if facts.dimensions == 3 else sheet.component)
    ax.set_title(title, loc="left", fontsize=12, color=INK, pad=19)
    ax.text(0.0, 1.015, "   |   ".join(parts), transform=ax.transAxes, fontsize=8, color=FAINT, va="bottom")


def draw_map(
    signal: Map,
    ax: Any = None,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    colours: str = "viridis",
    threshold: float | None = None,
    walls: bool = True,
    stations: bool = True,
    title: bool = True,
    colour_bar: bool = True,
    scale: bool = True,
) -> Any:
    """Draws a map.

    Parameters
    ----------
    signal : Map
    ax : matplotlib Axes, optional
        Default: those of a new figure.
    minimum, maximum : float, optional
        Ends of the colour bar; default: those of planwave's own pictures.
    colours : {"viridis", "turbo"} or any colour map of matplotlib
    threshold : float, optional
        A white line where the map crosses it.
    walls, stations, title, colour_bar, scale : bool
        What is drawn beside the map itself.

    Returns
    -------
    matplotlib Axes
    """
    pyplot = _pyplot()
    facts, sheet = signal.result.facts, signal.sheet
    plan = signal.result.walls(height=signal.height, cut=signal.cut)
    left, right, bottom, top = _extent(plan.x, plan.y)
    beside = None
    if ax is None:
        ax, beside = _figure(min(max((top - bottom) / (right - left), 0.25), 2.0))
    servers = signal.quantity == "best-server"
    ax.set_facecolor("#ececee" if facts.dimensions == 3 or facts.horizontal else UNDEFINED)
    if servers:
        low, high = -0.5, len(CATEGORIES) - 0.5
        from matplotlib.colors import ListedColormap

        table: Any = ListedColormap(list(CATEGORIES))
        values = np.where(np.isfinite(signal.values), signal.values % len(CATEGORIES), np.nan)
    else:
        low, high = colour_range(signal)
        low, high = (low if minimum is None else minimum), (high if maximum is None else maximum)
        table = pyplot.get_cmap(colours).reversed() if signal.falls else pyplot.get_cmap(colours)
        values = signal.values
    table = table.copy()
    with warnings.catch_warnings():  # its successor is not in every matplotlib
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        table.set_bad(UNDEFINED)
    image = ax.imshow(
        np.ma.masked_invalid(values),
        origin="lower",
        extent=_extent(signal.x, signal.y),
        cmap=table,
        vmin=low,
        vmax=high,
        interpolation="nearest" if servers else "bilinear",
        zorder=1,
    )
    if threshold is not None and not servers:
        ax.contour(signal.x, signal.y, signal.values, levels=[threshold], colors="white", linestyles="solid", linewidths=1.0, zorder=3)
    if walls:
        draw_walls(ax, plan)
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)
    ax.set_aspect("equal")
    normal = 2 if sheet is None else sheet.normal
    if stations:
        in_space = facts.dimensions == 3 and sheet is not None
        draw_stations(ax, signal.result, signal.transmitter, normal=normal, position=sheet.position if in_space and sheet else None)
    _frame(ax, ("y" if normal == 0 else "x", "y" if normal == 2 else "z"))
    if scale:
        draw_scale(ax)
    if title:
        _titles(ax, signal)
    if colour_bar and servers:
        from matplotlib.patches import Patch

        handles = [
            Patch(facecolor=CATEGORIES[n % len(CATEGORIES)], edgecolor=FRAME, label=name)
            for n, name in enumerate(signal.result.transmitters)
        ]
        ax.legend(handles=handles[:24], loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False, fontsize=9)
    elif colour_bar:
        _colour_bar(ax, beside, image, signal, low, high)
    if beside is not None and (servers or not colour_bar):
        beside.remove()
    return ax


def draw_floor_plan(plan: FloorPlan) -> bytes:
    """A PNG of a plan in the colours of its materials, with a legend of their areas."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    pyplot = _pyplot()
    figure, ax = pyplot.subplots(figsize=(6.4, 6.4), layout="constrained")
    table = ListedColormap(plan.colours)
    ax.imshow(
        plan.values,
        origin="lower",
        extent=_extent(plan.x, plan.y),
        cmap=table,
        vmin=-0.5,
        vmax=len(plan.colours) - 0.5,
        interpolation="nearest",
    )
    handles = [
        Patch(facecolor=plan.colours[plan.materials.index(name)], edgecolor=FRAME, label=f"{name}, {area:.3g} m²")
        for name, area in plan.areas.items()
    ]
    ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False, fontsize=9)
    _frame(ax, ("x", "y"))
    return png_of(figure)


def _writer(path: str, fps: int) -> Any:
    """What writes a film of this ending."""
    from matplotlib import animation

    if path.lower().endswith(".gif"):
        return animation.PillowWriter(fps=fps)
    if path.lower().endswith((".mp4", ".webm", ".mov")):
        if not animation.writers.is_available("ffmpeg"):
            raise errors.NoResource(f"'{path}' needs ffmpeg, which is not on the PATH: install it, or write a .gif")
        return animation.FFMpegWriter(fps=fps)
    raise errors.refused("path", path, "a name that ends in .gif, .mp4, .webm or .mov")


def animate(
    setup: Setup,
    path: PathLike,
    transmitter: int = 0,
    *,
    frames: int = 60,
    every: int = 0,
    fps: int = 15,
    depth: float = 40.0,
    width: float = 6.0,
    progress: ProgressOfWork | None = None,
    **machine: Any,
) -> str:
    """Solves one transmitter of a set-up in two dimensions and writes a film of its field.

    Parameters
    ----------
    setup : Setup
    path : path
        GIF; or MP4, WebM or MOV where ffmpeg is.
    transmitter : int
        From 0.
    frames : int
        Pictures.
    every : int
        Steps between them; 0: so that the wave crosses the plan's diagonal once.
    fps : int
        Pictures a second.
    depth : float
        [dB] under the strongest field so far that is still seen.
    width : float
        Inches, at 100 pixels each.
    progress : callable or bool, optional
        Called with the share that is done; False as its answer ends the work, and no film is written.
    **machine
        backend, threads, devices, device_memory.
    """
    pyplot, facts, target = _pyplot(), setup.facts, os.fspath(path)
    if facts.dimensions != 2:
        raise errors.UsageError("a film is of two dimensions: set dimensions to 2, and plan.cut to the height")
    whole("frames", frames, 1)
    writer, watch, medium = _writer(target, whole("fps", fps, 1)), Watch(progress), setup.medium()
    across = math.hypot(facts.nx, facts.ny) * facts.cell / 299792458.0 / facts.time_step
    steps = whole("every", every) or max(1, round(across / frames))
    inner = tuple(slice(low, n - high) for low, high, n in zip(facts.absorber_low[1::-1], facts.absorber_high[1::-1], (facts.ny, facts.nx)))
    x, y = medium.x[inner[1]], medium.y[inner[0]]
    figure, ax = pyplot.subplots(figsize=(width, width * y.size / x.size + 0.6), layout="constrained")
    image = ax.imshow(np.zeros((y.size, x.size)), origin="lower", extent=_extent(x, y), cmap="RdBu_r", vmin=-1.0, vmax=1.0)
    wall = np.where(medium.perfect_conductor[inner], 1.0, np.clip(0.25 * (medium.relative_permittivity[inner] - 1.0), 0.0, 0.8))
    shade = np.zeros((*wall.shape, 4))
    shade[..., 3] = wall
    ax.imshow(shade, origin="lower", extent=_extent(x, y))
    _frame(ax, ("x", "y"))
    peak, partial = 0.0, target + ".partial" + os.path.splitext(target)[1]
    try:
        with setup.simulation(transmitter, 1, **machine) as simulation, watch.checked(), writer.saving(figure, partial, 100):
            for number in range(frames):
                if not watch.tell(number / frames):
                    raise errors.Interrupted("the film was stopped")
                simulation.advance(steps)
                field = simulation.field()[inner]
                peak = max(peak * 0.97, float(np.abs(field).max()))
                with np.errstate(divide="ignore"):
                    level = np.clip(1.0 + 20.0 * np.log10(np.abs(field) / max(peak, 1e-300)) / depth, 0.0, 1.0)
                image.set_data(np.sign(field) * level)
                ax.set_title(f"{simulation.time * 1e9:.1f} ns", loc="left", fontsize=9, color=FAINT)
                writer.grab_frame()
        os.replace(partial, target)
    finally:
        pyplot.close(figure)
        if os.path.exists(partial):
            os.remove(partial)
    return target


def draw_channel(channel: Channel, axes: Any = None) -> Any:
    """Draws path gain over frequency, and the power-delay profile; `axes` are two of matplotlib, else a new figure is made."""
    if axes is None:
        _, axes = _pyplot().subplots(2, 1, figsize=(7.4, 6.0), layout="constrained")
    first, second = axes
    metrics, blue = channel.metrics, "#1f5fa8"
    with np.errstate(divide="ignore", invalid="ignore"):
        gain, profile = 20.0 * np.log10(np.abs(channel.response)), 10.0 * np.log10(channel.profile)
    first.plot(channel.frequency * 1e-9, gain, color=blue, linewidth=1.3)
    first.set(xlabel="frequency [GHz]", ylabel="path gain [dB]")
    first.set_title(f"{channel.transmitter} to {channel.receiver}", loc="left", fontsize=12, color=INK)
    if profile.size > 0:
        peak = float(np.nanmax(profile))
        second.plot(channel.delay * 1e9, profile, color=blue, linewidth=1.3)
        second.set(xlabel="delay [ns]", ylabel="power [dB]\nrelative to free space at 1 m", ylim=(peak - 60.0, peak + 5.0))
        text = f"RMS delay spread {metrics.rms_delay_spread * 1e9:.2f} ns, mean excess delay {metrics.mean_excess_delay * 1e9:.2f} ns"
        second.set_title(text, loc="left", fontsize=9, color=FAINT)
    else:
        second.text(0.5, 0.5, "the band has too few frequencies for delays", transform=second.transAxes, ha="center")
    if metrics.note:
        second.text(0.99, 0.97, metrics.note, transform=second.transAxes, ha="right", va="top", fontsize=8, color="#b02020", wrap=True)
    for ax in (first, second):
        ax.grid(True, color="#dddddd", linewidth=0.6)
    return axes
