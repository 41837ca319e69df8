#!/usr/bin/env python3
"""Draws the floor plans of this folder as PNG: python3 draw.py [name ...]. Standard library only.

Lengths are metres, the origin is at the lower left and y grows upwards, as in a scenario. Pictures are palette PNGs whose colours
are the legend of README.md. To draw a plan of your own any paint program will do; this file is here so that ours can be changed.
"""
import math
import os
import struct
import sys
import zlib

LEGEND = {
    "air": 0xFFFFFF,
    "concrete": 0x404040,
    "brick": 0xB5523B,
    "plasterboard": 0xC9B79C,
    "glass": 0x3B9ED8,
    "wood": 0x8A5A2B,
    "chipboard": 0xE0A94A,
    "metal": 0x8FA3AD,
    "dwelling wall": 0x3060C0,
}
INDEX = {name: number for number, name in enumerate(LEGEND)}


class Plan:
    """A canvas of material numbers, row 0 at the bottom."""

    def __init__(self, width, height, pixel):
        self.pixel = pixel
        self.columns, self.rows = round(width / pixel), round(height / pixel)
        self.cells = [bytearray(self.columns) for _ in range(self.rows)]

    def rectangle(self, x0, y0, x1, y1, material):
        c0, c1 = (max(0, min(self.columns, round(x / self.pixel))) for x in (x0, x1))
        r0, r1 = (max(0, min(self.rows, round(y / self.pixel))) for y in (y0, y1))
        for r in range(r0, r1):
            self.cells[r][c0:c1] = bytes([INDEX[material]]) * (c1 - c0)

    def polygon(self, points, material):
        """Pixels whose centre lies inside, by the even-odd rule."""
        for r in range(self.rows):
            y = (r + 0.5) * self.pixel
            crossings = sorted(
                ax + (bx - ax) * (y - ay) / (by - ay)
                for (ax, ay), (bx, by) in zip(points, points[1:] + points[:1])
                if (ay > y) != (by > y)
            )
            for x0, x1 in zip(crossings[::2], crossings[1::2]):
                c0, c1 = (max(0, min(self.columns, math.ceil(x / self.pixel - 0.5))) for x in (x0, x1))
                self.cells[r][c0:c1] = bytes([INDEX[material]]) * (c1 - c0)

    def circle(self, x, y, radius, material):
        self.polygon([(x + radius * math.cos(k * math.pi / 60), y + radius * math.sin(k * math.pi / 60)) for k in range(120)], material)

    def box(self, x0, y0, x1, y1, thickness, material):
        """Four walls, outer faces at the corners given."""
        self.rectangle(x0, y0, x1, y0 + thickness, material)
        self.rectangle(x0, y1 - thickness, x1, y1, material)
        self.rectangle(x0, y0, x0 + thickness, y1, material)
        self.rectangle(x1 - thickness, y0, x1, y1, material)

    def window(self, x0, y0, x1, y1):
        """The wall between the corners becomes air with a 2 cm pane in its middle."""
        self.rectangle(x0, y0, x1, y1, "air")
        if x1 - x0 > y1 - y0:
            pane = math.floor((y0 + y1) / 2 / self.pixel + 1e-6) * self.pixel
            self.rectangle(x0, pane, x1, pane + 0.02, "glass")
        else:
            pane = math.floor((x0 + x1) / 2 / self.pixel + 1e-6) * self.pixel
            self.rectangle(pane, y0, pane + 0.02, y1, "glass")

    def door(self, x0, y0, x1, y1, hinge, angle=None, material="wood"):
        """The wall between the corners opens; a 4 cm leaf is shut (angle None) or stands at `angle` degrees from the x axis.

        `hinge` is "low" or "high": at the lower (left) or upper (right) end."""
        self.rectangle(x0, y0, x1, y1, "air")
        across = x1 - x0 > y1 - y0
        length = max(x1 - x0, y1 - y0)
        if angle is None:
            if across:
                self.rectangle(x0, (y0 + y1) / 2 - 0.02, x1, (y0 + y1) / 2 + 0.02, material)
            else:
                self.rectangle((x0 + x1) / 2 - 0.02, y0, (x0 + x1) / 2 + 0.02, y1, material)
            return
        far = hinge == "high"
        hx = (x1 - 0.02 if far else x0 + 0.02) if across else (x0 + x1) / 2
        hy = (y0 + y1) / 2 if across else (y1 - 0.02 if far else y0 + 0.02)
        dx, dy = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        ex, ey = hx + length * dx, hy + length * dy
        sx, sy = -0.02 * dy, 0.02 * dx
        self.polygon([(hx + sx, hy + sy), (ex + sx, ey + sy), (ex - sx, ey - sy), (hx - sx, hy - sy)], material)

    def write(self, path):
        colours = b"".join(struct.pack(">I", colour)[1:] for colour in LEGEND.values())
        rows = b"".join(b"\0" + self.packed(row) for row in reversed(self.cells))
        with open(path, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n")
            for kind, data in (
                (b"IHDR", struct.pack(">IIBBBBB", self.columns, self.rows, 4, 3, 0, 0, 0)),
                (b"PLTE", colours),
                (b"IDAT", zlib.compress(rows, 9)),
                (b"IEND", b""),
            ):
                file.write(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)))

    @staticmethod
    def packed(row):
        """Two pixels a byte."""
        even = row + bytes(len(row) % 2)
        return bytes(even[n] << 4 | even[n + 1] for n in range(0, len(even), 2))


def flat():
    """The 15.36 m dwelling of the reference solution, after figure 7 of the paper; y grows upwards."""
    plan = Plan(15.36, 15.36, 0.01)
    wall = "dwelling wall"
    for x0, y0, x1, y1, material in (
        (1.2, 1.2, 14.16, 1.28, wall), (1.2, 14.08, 14.16, 14.16, wall),
        (1.2, 1.2, 1.28, 14.16, wall), (14.08, 1.2, 14.16, 14.16, wall),
        (1.2, 6.0, 5.2, 6.08, wall), (6.1, 6.0, 10.4, 6.08, wall), (11.3, 6.0, 14.16, 6.08, wall),
        (1.2, 9.2, 3.6, 9.28, wall), (4.5, 9.2, 9.0, 9.28, wall), (9.9, 9.2, 14.16, 9.28, wall),
        (5.6, 1.2, 5.66, 6.0, wall), (10.0, 1.2, 10.06, 6.0, wall),
        (4.9, 9.28, 4.96, 14.16, wall), (9.3, 9.28, 9.36, 14.16, wall),
        (7.2, 1.2, 8.1, 1.28, "air"), (1.2, 7.3, 1.28, 8.2, "air"),
    ):
        plan.rectangle(x0, y0, x1, y1, material)
    return plan


def office_shell(plan):
    plan.box(0.8, 0.8, 35.2, 19.2, 0.24, "concrete")
    for n in range(8):  # window bands north and south, one 3.2 m pane a bay
        x = 1.44 + 4.24 * n
        plan.window(x, 18.96, x + 3.2, 19.2)
        plan.window(x, 0.8, x + 3.2, 1.04)
    for x, low, high in ((0.8, 2.4, 5.6), (0.8, 14.2, 17.4), (34.96, 2.0, 4.4), (34.96, 16.0, 18.4)):
        plan.window(x, low, x + 0.24, high)
    plan.door(0.8, 9.1, 1.04, 10.9, "low", None, "glass")
    plan.door(34.96, 9.1, 35.2, 10.9, "low", None, "glass")
    for x in (7.0, 15.5, 22.4, 30.0):  # columns beside the corridor
        plan.circle(x, 8.55, 0.22, "concrete")
        plan.circle(x, 11.45, 0.22, "concrete")


def office_north(plan):
    plan.rectangle(1.04, 11.0, 26.0, 11.12, "plasterboard")
    for x in (5.28, 9.52, 13.76):  # four offices
        plan.rectangle(x - 0.06, 11.12, x + 0.06, 18.96, "plasterboard")
    for n, angle in enumerate((105, None, 80, None)):
        x = 2.0 + 4.24 * n
        plan.door(x, 11.0, x + 0.9, 11.12, "low", angle)
        plan.rectangle(1.34 + 4.24 * n, 17.7, 2.54 + 4.24 * n, 18.1, "chipboard")
        plan.rectangle(4.5 + 4.24 * n, 12.4, 4.9 + 4.24 * n, 15.2, "chipboard")
    plan.rectangle(17.94, 11.12, 18.06, 18.96, "plasterboard")
    plan.rectangle(18.06, 15.0, 25.94, 15.12, "plasterboard")  # meeting rooms with glass fronts
    plan.window(18.6, 11.0, 24.0, 11.12)
    plan.door(24.4, 11.0, 25.4, 11.12, "high", 100, "glass")
    plan.door(20.0, 15.0, 20.9, 15.12, "low", 60)
    plan.rectangle(25.94, 11.0, 26.06, 18.96, "plasterboard")
    plan.box(29.4, 11.6, 34.96, 15.4, 0.2, "concrete")  # stairs and lift
    plan.rectangle(32.4, 11.8, 32.6, 15.2, "concrete")
    plan.box(32.84, 12.2, 34.5, 14.4, 0.06, "metal")
    plan.door(29.4, 12.2, 29.6, 13.2, "low")
    plan.rectangle(32.9, 11.6, 34.4, 11.8, "metal")
    plan.rectangle(26.4, 16.6, 26.8, 18.6, "chipboard")  # kitchenette
    plan.rectangle(27.4, 18.3, 29.4, 18.9, "wood")
    plan.rectangle(29.6, 18.3, 30.2, 18.9, "metal")


def office_south(plan):
    plan.rectangle(1.04, 8.88, 9.0, 9.0, "plasterboard")
    plan.rectangle(26.0, 8.88, 34.96, 9.0, "brick")
    plan.rectangle(8.94, 1.04, 9.06, 9.0, "plasterboard")
    plan.rectangle(1.04, 4.94, 8.94, 5.06, "plasterboard")
    plan.door(7.4, 8.88, 8.3, 9.0, "high", 250)
    plan.door(4.6, 4.94, 5.5, 5.06, "low", -70)
    plan.rectangle(1.3, 5.4, 1.7, 8.4, "chipboard")
    plan.rectangle(2.6, 1.3, 5.8, 1.7, "chipboard")
    for x in (11.6, 15.4, 19.2, 23.0):  # open plan: screens and cupboards
        plan.rectangle(x - 0.03, 2.6, x + 0.03, 5.2, "chipboard")
        plan.rectangle(x - 1.2, 3.87, x + 1.2, 3.93, "chipboard")
    for x in (12.4, 18.6):
        plan.rectangle(x, 7.3, x + 2.4, 7.75, "metal")
    plan.rectangle(25.94, 1.04, 26.18, 9.0, "brick")  # wash rooms and plant
    plan.rectangle(26.18, 5.0, 34.96, 5.12, "brick")
    plan.rectangle(30.4, 1.04, 30.52, 9.0, "brick")
    plan.door(27.0, 8.88, 27.9, 9.0, "low")
    plan.door(31.2, 8.88, 32.1, 9.0, "low")
    plan.door(30.4, 2.2, 30.52, 3.1, "low", 15)
    plan.door(28.2, 5.0, 29.1, 5.12, "low", -80)
    for x in (31.2, 32.4, 33.6):  # racks
        plan.rectangle(x, 5.9, x + 0.6, 7.9, "metal")
    for y in (6.0, 7.4):
        plan.rectangle(26.18, y, 27.5, y + 0.04, "chipboard")


def office():
    plan = Plan(36, 20, 0.02)
    office_shell(plan)
    office_north(plan)
    office_south(plan)
    return plan


def corridor():
    """Rooms on both sides of a corridor."""
    plan = Plan(24, 9.6, 0.02)
    plan.box(0.6, 0.6, 23.4, 9.0, 0.24, "brick")
    plan.rectangle(0.84, 3.6, 23.16, 3.72, "brick")
    plan.rectangle(0.84, 5.88, 23.16, 6.0, "brick")
    for n in range(1, 6):
        x = 0.84 + 3.72 * n
        plan.rectangle(x - 0.06, 0.84, x + 0.06, 3.6, "plasterboard" if n % 2 else "brick")
        plan.rectangle(x - 0.06, 6.0, x + 0.06, 8.76, "brick" if n % 2 else "plasterboard")
    for n in range(6):
        x = 0.84 + 3.72 * n
        plan.window(x + 0.96, 0.6, x + 2.76, 0.84)
        plan.window(x + 0.96, 8.76, x + 2.76, 9.0)
        plan.door(x + 0.5, 3.6, x + 1.4, 3.72, "low", (None, -75, None, -100, None, -60)[n])
        plan.door(x + 2.3, 5.88, x + 3.2, 6.0, "high", (110, None, 85, None, None, 120)[n])
    for n in (0, 2, 3, 5):
        x = 0.84 + 3.72 * n
        plan.rectangle(x + 2.9, 1.0, x + 3.3, 2.6, "chipboard")
        plan.rectangle(x + 0.3, 8.2, x + 1.7, 8.6, "wood")
    plan.rectangle(5.0, 5.46, 7.4, 5.86, "metal")  # lockers
    plan.rectangle(17.5, 3.74, 19.3, 4.14, "metal")
    plan.door(23.16, 4.2, 23.4, 5.4, "low", None, "glass")
    plan.door(0.6, 4.2, 0.84, 5.4, "low", None, "wood")
    plan.rectangle(11.94, 3.72, 12.06, 4.2, "concrete")  # fire door, half open
    plan.rectangle(11.94, 5.4, 12.06, 5.88, "concrete")
    plan.door(11.94, 4.2, 12.06, 5.4, "low", 20, "wood")
    return plan


def empty_room():
    plan = Plan(7.2, 5.6, 0.01)
    plan.box(0.6, 0.6, 6.6, 5.0, 0.2, "brick")
    plan.window(2.4, 4.8, 4.8, 5.0)
    plan.door(6.4, 1.2, 6.6, 2.1, "low")
    return plan


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    for draw in (flat, office, corridor, empty_room):
        if len(sys.argv) == 1 or draw.__name__ in sys.argv[1:]:
            draw().write(os.path.join(here, draw.__name__ + ".png"))
