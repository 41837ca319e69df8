"""How a channel changes with the materials and walls of the plan: exact derivatives, from one run per station.

```python
found = scenario.gradients(["brick:permittivity", "brick:thickness"])
print(0.1 * found.level()[0, 0])  # dB of the first link, for 10 % more of each
```

`torch_response` and `jax_response` make of a scenario a function that either library differentiates.
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from .._library import Handle, Watch, call, decoded, encoded, library
from ..options import Precision, word

if TYPE_CHECKING:
    from ..result import ProgressOfWork
    from ..scenario import Scenario

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class WallMap:
    """Which wall decides: the density of a link's change over the floor.

    Parameters
    ----------
    values : (y, x) array
        [dB/m^2] per relative change of the parameters together; 0 outside of the walls.
    x, y : arrays
        Places of the cells [m].
    """

    values: Floats
    x: Floats
    y: Floats

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:
        return np.array(self.values, dtype=dtype)


@dataclass(frozen=True)
class DecidingWall:
    """A wall, or a piece of one, and what it does to the level of a link.

    Parameters
    ----------
    material : str
    thickness : float
        [m]
    line : tuple of float
        x, y of one end of its centre line and of the other [m].
    per_relative : float
        dB per relative change of its permittivity and conductivity, those among the parameters; NaN: neither is.
    per_metre : float
        dB per metre that it is thicker; NaN: its thickness is none of the parameters.
    """

    material: str
    thickness: float
    line: tuple[float, float, float, float]
    per_relative: float
    per_metre: float


class Gradients(Handle):
    """The channels of all links and their derivatives; `Scenario.gradients` makes it.

    Attributes
    ----------
    parameters : list of str
    values : (parameter,) array
        What each is on the plan, in its unit (1, S/m, m); NaN where its name stands for several values.
    frequencies : (frequency,) array
        [Hz]
    response : (transmitter, receiver, frequency) array of complex
        Field over current [V/m per A].
    per_relative : (transmitter, receiver, parameter, frequency) array of complex
        dH/d ln p: a tenth of it is by how much the response changes with 10 % more, to first order.
    runs : int
        Simulations that it took.

    Examples
    --------
    >>> import planwave as pw
    >>> room = pw.Scenario('''
    ... plan: {size: [2 m, 1 m], walls: [{from: [1 m, 0 m], to: [1 m, 1 m], thickness: 8 cm, material: brick}]}
    ... band: {centre: 1 GHz, width: 200 MHz}
    ... transmitters: [{at: [0.4 m, 0.5 m]}]
    ... receivers: [{at: [1.6 m, 0.5 m]}]
    ... ''')
    >>> found = room.gradients(["brick:conductivity"])
    >>> bool(found.level()[0, 0, 0] < 0)  # more loss, less power
    True
    """

    def __init__(self, handle: ctypes.c_void_p):
        self._own("pw_gradients_free", handle)
        facts = library.pw_gradients_describe(self._handle)
        self._facts = facts
        names, values = [], []
        for n in range(facts.parameters):
            found = _abi.pw_parameter_range()
            one = library.pw_gradients_parameter(self._handle, n, ctypes.byref(found))
            text = ctypes.create_string_buffer(_abi.PW_PARAMETER_TEXT_SIZE)
            library.pw_parameter_text(ctypes.byref(one), text)
            names.append(decoded(text.value))
            values.append(found.low if found.high <= found.low * (1 + 1e-9) else np.nan)
        self.parameters: list[str] = names
        self.values: Floats = np.array(values)
        self.runs: int = facts.runs
        self.frequencies = self._taken(library.pw_gradients_frequencies(self._handle), facts.frequencies)
        links = [(t, r) for t in range(facts.transmitters) for r in range(facts.receivers)]
        shape = (facts.transmitters, facts.receivers)
        self.response = np.array(
            [self._complex(library.pw_gradients_response(self._handle, t, r)) for t, r in links]
        ).reshape(*shape, -1)
        self.per_relative = np.array(
            [
                self._complex(library.pw_gradients_of_response(self._handle, t, r, p))
                for t, r in links
                for p in range(facts.parameters)
            ]
        ).reshape(*shape, facts.parameters, -1)

    @staticmethod
    def _taken(pointer: int, count: int) -> Floats:
        return np.ctypeslib.as_array(ctypes.cast(pointer, ctypes.POINTER(ctypes.c_double)), (count,)).copy()

    def _complex(self, pointer: int) -> npt.NDArray[np.complex128]:
        return self._taken(pointer, 2 * self._facts.frequencies).view(np.complex128)

    def level(self, *, per_unit: bool = False) -> Floats:
        """By how much the received power changes, the mean over the band, (transmitter, receiver, parameter) [dB].

        In two dimensions a transmitter that moves also changes the step to three, which is that by distance and heights.

        Parameters
        ----------
        per_unit : bool
            Per unit of the parameter (1, S/m, m); else per relative change, so that a tenth of it is the effect of 10 % more.

        Examples
        --------
        >>> scenario.gradients(["brick:permittivity"]).level().shape  # doctest: +SKIP
        (1, 2, 1)
        """
        facts = self._facts
        made = np.empty((facts.transmitters, facts.receivers, facts.parameters))
        for at in np.ndindex(made.shape):
            one = library.pw_gradients_of_level(self._handle, *at)
            made[at] = one.per_unit if per_unit else one.per_relative
        return made

    def map(self, transmitter: int = 0, receiver: int = 0, parameter: str | None = None) -> WallMap:
        """Which wall decides: where on the plan the change of a link comes from.

        Parameters
        ----------
        transmitter, receiver : int
        parameter : str, optional
            One of `parameters`; else all of them together.

        Examples
        --------
        >>> scenario.gradients().map(0, 1).values.shape == scenario.setup().facts.shape  # doctest: +SKIP
        True
        """
        if parameter is not None and parameter not in self.parameters:
            raise errors.UsageError(f"{parameter!r} is none of {self.parameters}")
        facts = self._facts
        if not (0 <= transmitter < facts.transmitters and 0 <= receiver < facts.receivers):
            raise errors.UsageError(f"link ({transmitter}, {receiver}): there are {facts.transmitters} x {facts.receivers}")
        first = 0 if parameter is None else self.parameters.index(parameter)
        count = facts.parameters if parameter is None else 1
        values = np.empty((facts.ny, facts.nx))
        call("pw_gradients_map", self._handle, transmitter, receiver, first, count, values.ctypes.data)
        return WallMap(
            values, facts.origin_x + facts.cell * np.arange(facts.nx), facts.origin_y + facts.cell * np.arange(facts.ny)
        )

    def walls(self, transmitter: int = 0, receiver: int = 0, limit: int = 64) -> list[DecidingWall]:
        """Which walls decide, each by itself, the strongest first.

        Parameters
        ----------
        transmitter, receiver : int
        limit : int
            How many at most.

        Examples
        --------
        >>> scenario.gradients().walls(0, 1)[0].material  # doctest: +SKIP
        'brick'
        """
        facts = self._facts
        if not (0 <= transmitter < facts.transmitters and 0 <= receiver < facts.receivers):
            raise errors.UsageError(f"link ({transmitter}, {receiver}): there are {facts.transmitters} x {facts.receivers}")
        if limit < 1:
            raise errors.UsageError(f"limit {limit}: at least 1 is allowed")
        found, count = (_abi.pw_gradients_wall * limit)(), ctypes.c_int()
        call("pw_gradients_walls", self._handle, transmitter, receiver, limit, found, ctypes.byref(count))
        return [
            DecidingWall(decoded(w.material), w.thickness, (w.line[0], w.line[1], w.line[2], w.line[3]), w.per_relative, w.per_metre)
            for w in found[: count.value]
        ]

    def __repr__(self) -> str:
        facts = self._facts
        return f"<Gradients of {facts.transmitters} x {facts.receivers} links to {', '.join(self.parameters)}>"


def gradients(
    scenario: Scenario, parameters: Sequence[str], precision: Precision, machine: Any, progress: ProgressOfWork | None
) -> Gradients:
    """The work of `Scenario.gradients`."""
    if isinstance(parameters, str):
        raise errors.UsageError(f"parameters: give a list, such as [{parameters!r}]")
    struct, watch, made = _abi.pw_gradients_options(), Watch(progress), ctypes.c_void_p()
    varied = (_abi.pw_parameter * max(1, len(parameters)))()
    for n, name in enumerate(parameters):
        call("pw_parameter_parse", encoded(name), ctypes.byref(varied[n]))
    struct.compute, struct.monitor = machine, watch.monitor()
    struct.precision = word("precision", precision, {"single": _abi.PW_SINGLE, "double": _abi.PW_DOUBLE})
    struct.parameters, struct.parameter_count = varied, len(parameters)
    with watch.checked():
        call("pw_gradients_solve", scenario._text_plan(), ctypes.byref(struct), ctypes.byref(made))
    return Gradients(made)


# ---- in other libraries ----------------------------------------------------------------------------------------------


def _solver(
    scenario: Scenario, parameters: Sequence[str], options: dict[str, Any]
) -> Callable[[npt.ArrayLike], tuple[npt.NDArray[np.complex128], npt.NDArray[np.complex128]]]:
    """Factors of the parameters to the response and its derivatives to the factors, on a grid that stays."""
    from ..scenario import Scenario as Made

    with scenario.setup() as setup:
        text = setup.text

    def solve(factors: npt.ArrayLike) -> tuple[npt.NDArray[np.complex128], npt.NDArray[np.complex128]]:
        times = np.asarray(factors, dtype=float)
        if times.shape != (len(parameters),):
            raise errors.UsageError(f"factors of shape {times.shape}: there are {len(parameters)} parameters")
        changed = Made(text)
        for name, factor in zip(parameters, times):
            changed = changed.with_factor(name, float(factor))
        found = changed.gradients(parameters, **options)
        return found.response, found.per_relative / times[:, None]

    return solve


def torch_response(scenario: Scenario, parameters: Sequence[str], **options: Any) -> Callable[[Any], Any]:
    """The response of all links as a function of factors of the parameters, which PyTorch differentiates.

    Parameters
    ----------
    scenario : Scenario
    parameters : list of str
        As of `Scenario.gradients`.
    **options
        As of `Scenario.gradients`.

    Returns
    -------
    function
        A tensor (parameter,) of factors of what the scenario says, to a complex tensor (transmitter, receiver, frequency). Every call
        solves a run per station.

    Examples
    --------
    >>> respond = pw.torch_response(scenario, ["brick:permittivity"])  # doctest: +SKIP
    >>> factors = torch.ones(1, dtype=torch.float64, requires_grad=True)  # doctest: +SKIP
    >>> (respond(factors) - measured).abs().square().sum().backward()  # doctest: +SKIP
    """
    torch: Any = importlib.import_module("torch")
    solve = _solver(scenario, parameters, options)

    class Response(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, factors: Any) -> Any:
            response, gradient = solve(factors.detach().cpu().numpy())
            ctx.gradient = torch.from_numpy(gradient)
            ctx.like = factors
            return torch.from_numpy(response)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            total = (grad.conj()[:, :, None, :] * ctx.gradient).real.sum(dim=(0, 1, 3))
            return total.to(ctx.like)

    apply: Callable[[Any], Any] = Response.apply
    return apply


def jax_response(scenario: Scenario, parameters: Sequence[str], **options: Any) -> Callable[[Any], Any]:
    """As `torch_response`, for JAX: a function with a custom derivative backwards (`jax.custom_vjp`).

    Examples
    --------
    >>> respond = pw.jax_response(scenario, ["brick:permittivity"])  # doctest: +SKIP
    >>> slope = jax.grad(lambda factors: (abs(respond(factors)) ** 2).sum())(jax.numpy.ones(1))  # doctest: +SKIP
    """
    jax: Any = importlib.import_module("jax")
    jnp: Any = importlib.import_module("jax.numpy")
    solve = _solver(scenario, parameters, options)

    @jax.custom_vjp  # type: ignore[untyped-decorator,unused-ignore]
    def respond(factors: Any) -> Any:
        return jnp.asarray(solve(np.asarray(factors))[0])

    def forward(factors: Any) -> Any:
        response, gradient = solve(np.asarray(factors))
        return jnp.asarray(response), (jnp.asarray(gradient), factors)

    def backward(kept: Any, cotangent: Any) -> Any:
        gradient, factors = kept
        return (jnp.sum(cotangent[:, :, None, :] * gradient, axis=(0, 1, 3)).real.astype(factors.dtype),)

    respond.defvjp(forward, backward)
    made: Callable[[Any], Any] = respond
    return made
