"""What a scenario offers of many runs of itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from ..options import Backend, Devices, MapOptions, PowerName, Precision, Quantity, compute

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..result import ProgressOfWork
    from ..scenario import PathLike, Scenario
    from ..study.gradients import Gradients
    from ..study.siting import Points, Siting
    from ..study.uncertainty import Spreads, Uncertainty
    from ..study.walk import Walk


class Studies:
    """Of a `Scenario`."""

    def siting(self, candidates: Points = 2.0, **options: Any) -> Siting:
        """Where do the access points go? The options are those of `planwave.study.siting.Siting`; nothing is solved yet.

        Examples
        --------
        >>> pw.Scenario("small.yaml").siting("1 m").facts.candidate_count
        1
        """
        from ..study.siting import Siting

        return Siting(cast("Scenario", self), candidates, **options)

    def uncertainty(
        self,
        vary: Spreads,
        *,
        samples: int = 64,
        seed: int = 1,
        method: Literal["auto", "samples", "chaos", "first-order"] = "auto",
        scatter: Quantity | None = None,
        thresholds: Sequence[Quantity] = (),
        quantity: PowerName = "received-power",
        transmitter: str | None = None,
        backend: Backend = "auto",
        threads: int = 0,
        devices: Devices = None,
        device_memory: int | str = 0,
        path: PathLike | None = None,
        progress: ProgressOfWork | None = None,
        **options: Unpack[MapOptions],
    ) -> Uncertainty:
        """How sure is a map, given how well materials, walls and places are known? Solves the scenario ``samples + 1`` times.

        Parameters
        ----------
        vary : dict
            What is not known, and how well: ``{"brick:permittivity": 0.1, "brick:thickness": "5 %"}``, factors of what the scenario says,
            log-normal, 0.1 being 10 %; ``{"west:position": "20 cm"}``, normal along x and along y. `planwave.Spread` says that all values
            up to a width are as likely.
        samples : int
            Draws, at least 8.
        seed : int
            Of the draws.
        method : {"auto", "samples", "chaos", "first-order"}
            Where quantiles come from; "auto": polynomial chaos where its leave-one-out error is at most 5 % of the variance.
            "first-order": no draws, two runs for each number that is not known; `Uncertainty.quantile_error` says how far it is off.
        scatter : float or str, optional
            Standard deviation of a new reading about the mean level, "3 dB"; 0: none. None: what the scenario's calibration found
            (`level_interval` / 1.96), else 3 dB, the shadow fading of 3GPP TR 38.901, table 7.4.1-1, indoor office in sight.
        thresholds : list of float or str
            In the unit of the quantity, or with their own, at most 16.
        quantity : {"received-power", "path-gain", "path-loss", "snr", "sinr"}
        transmitter, **options
            As of `Result.map`; see `MapOptions`.
        backend, threads, devices, device_memory
            As of `Setup.run`, of all runs together.
        path : path, optional
            Writes pictures as well: from "signal.png" signal-p10.png, -p50, -p90, -range, -reading-p10 and -reading-p90, each with
            .npy, and signal.csv.
        progress : callable or bool, optional
            Called with the share that is done, 0 to 1; False as its answer ends the work. True: a bar.

        Raises
        ------
        BadInput
            A name that the plan does not have, a material without the property, a plan that a draw makes impossible.
        UsageError
            Options out of their ranges.

        Examples
        --------
        >>> sure = pw.Scenario("small.yaml").uncertainty({"tx1:position": "5 cm"}, samples=8, thresholds=["-67 dBm"])
        >>> sure.samples
        8
        """
        from ..study.uncertainty import uncertainty

        asked = compute(backend, threads, devices, device_memory)
        return uncertainty(cast("Scenario", self), vary, (samples, seed, method), scatter, thresholds, (quantity, transmitter), asked, path, progress, options)

    def gradients(
        self,
        parameters: Sequence[str] = (),
        *,
        precision: Precision = "single",
        backend: Backend = "auto",
        threads: int = 0,
        devices: Devices = None,
        device_memory: int | str = 0,
        progress: ProgressOfWork | None = None,
    ) -> Gradients:
        """How the channel of every link changes with materials and walls: exact derivatives. Solves a run per transmitter and receiver.

        Parameters
        ----------
        parameters : list of str, optional
            "brick:permittivity", "brick:conductivity" or "brick:thickness"; default: permittivity and conductivity of every material.
        precision : {"single", "double"}
            Double is exact to 1e-6 against central differences, single to 3e-4.
        backend, threads, devices, device_memory
            As of `Setup.run`.
        progress : callable or bool, optional
            Called with the share that is done, 0 to 1; False as its answer ends the work. True: a bar.

        Raises
        ------
        BadInput
            No receiver that is recorded, a material that the plan does not have, dispersive materials, hard sources, or a parameter
            that moves metal.

        Examples
        --------
        >>> found = scenario.gradients(["brick:permittivity"])  # doctest: +SKIP
        >>> 0.1 * found.level()  # dB with 10 % more, (transmitter, receiver, parameter)  # doctest: +SKIP
        """
        from ..study.gradients import gradients

        return gradients(cast("Scenario", self), parameters, precision, compute(backend, threads, devices, device_memory), progress)

    def walk(
        self,
        paths: Sequence[Any],
        *,
        speed: float = 1.2,
        rate: float = 100.0,
        radius: float = 0.15,
        height: float = 1.7,
        storey: str | None = None,
        method: Literal["cylinder", "walls", "exact"] = "cylinder",
        checks: int = 0,
        subcarriers: str | None = None,
        backend: Backend = "auto",
        threads: int = 0,
        devices: Devices = None,
        device_memory: int | str = 0,
        progress: ProgressOfWork | None = None,
    ) -> Walk:
        """How the channels change while people walk. Solves a run per transmitter and receiver; a pose then takes milliseconds.

        Parameters
        ----------
        paths : list
            A path for each person: points (x, y) [m]. One point: the person stands there.
        speed : float
            [m/s]
        rate : float
            Poses a second.
        radius : float
            Of a person, a cylinder of muscle [m].
        height : float
            Of a person, in three dimensions [m].
        storey : str, optional
            That they walk on, in three dimensions; default: the lowest.
        method : {"cylinder", "walls", "exact"}
            "cylinder" leaves out waves that go back and forth between a person and the walls. "walls" has them, and solves the empty
            floor from points along the paths, too. "exact" solves every pose with the persons in the plan; three dimensions
            have it alone.
        checks : int
            Poses that are solved with the persons in the plan, too: `Walk.checks` says how far they are off.
        subcarriers : str, optional
            Frequencies of a signal, such as "wifi6-80" or "64x312.5kHz"; default: those of the running spectra.
        backend, threads, devices, device_memory
            As of `Setup.run`.
        progress : callable or bool, optional
            Called with the share that is done, 0 to 1; False as its answer ends the work. True: a bar.

        Raises
        ------
        BadInput
            A person who meets a wall, a station, another person, the ceiling or the edge of the plan; no receivers; three
            dimensions by another method than "exact".

        Examples
        --------
        >>> walk = scenario.walk([[(2, 3), (6, 3)]], checks=3)  # doctest: +SKIP
        >>> walk.csi.shape  # doctest: +SKIP
        (334, 232, 2, 1)
        """
        from ..study.walk import walk

        machine = compute(backend, threads, devices, device_memory)
        return walk(cast("Scenario", self), paths, (speed, rate, radius, height), storey, method, checks, subcarriers, machine, progress)
