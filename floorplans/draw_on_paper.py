#!/usr/bin/env python3
"""Makes a scan and a photograph of the flat as it may lie on somebody's desk: python3 draw_on_paper.py. Needs numpy and Pillow; planwave
does not.

The walls are those of draw.py, printed with text, furniture, doors and a frame around 15.36 m x 15.36 m. The scan is turned by 1.5
degrees, grey and noisy; the photograph has perspective, uneven light and JPEG's blocks. Places of corners are printed for the options of
the import: pixels, y upwards.
"""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/support"))
from needs import need  # noqa: E402

need("numpy", "PIL")
import numpy  # noqa: E402
from PIL import Image, ImageDraw, ImageFont  # noqa: E402

from draw import INDEX, flat  # noqa: E402

FINE = 4  # printed dots a centimetre
SIDE = 1536 * FINE
INK, PAPER = 40, 255


def dots(x, y):
    """Metres of the plan, y upwards, to dots."""
    return (100 * FINE * x, SIDE - 100 * FINE * y)


class Sheet:
    """The drawing as it is printed: the plan and what people draw around it."""

    def __init__(self):
        cells = numpy.array([numpy.frombuffer(bytes(row), dtype=numpy.uint8) for row in reversed(flat().cells)])
        walls = numpy.where(cells == INDEX["dwelling wall"], INK, PAPER).astype(numpy.uint8)
        self.picture = Image.fromarray(numpy.kron(walls, numpy.ones((FINE, FINE), dtype=numpy.uint8)))
        self.pen = ImageDraw.Draw(self.picture)

    def box(self, x0, y0, x1, y1, width=1.2):
        self.pen.line([dots(x0, y0), dots(x1, y0), dots(x1, y1), dots(x0, y1), dots(x0, y0)], INK, round(width * FINE))

    def line(self, x0, y0, x1, y1, width=1.2):
        self.pen.line([dots(x0, y0), dots(x1, y1)], INK, round(width * FINE))

    def circle(self, x, y, radius):
        (left, top), (right, bottom) = dots(x - radius, y + radius), dots(x + radius, y - radius)
        self.pen.ellipse([left, top, right, bottom], outline=INK, width=round(1.2 * FINE))

    def door(self, x, y, length, along, open_to):
        """A leaf of `length` that stands open from its hinge, and its arc; directions in degrees."""
        tip = [x + length * math.cos(math.radians(open_to)), y + length * math.sin(math.radians(open_to))]
        self.line(x, y, *tip, width=2)
        turn = (open_to - along + 180) % 360 - 180
        arc = [math.radians(along + turn * n / 24) for n in range(25)]
        self.pen.line([dots(x + length * math.cos(a), y + length * math.sin(a)) for a in arc], INK, round(FINE))

    def text(self, x, y, words, size=30):
        self.pen.text(dots(x, y), words, INK, ImageFont.load_default(size * FINE))

    def dimension(self, x0, x1, y):
        self.line(x0, y, x1, y, 1)
        for x in (x0, x1):
            self.line(x, y - 0.15, x, y + 0.15, 1)
        self.text((x0 + x1) / 2 - 0.5, y + 0.36, f"{x1 - x0:.2f} m", 26)


def draw_sheet():
    sheet = Sheet()
    for room, x, y in (("Bedroom", 1.9, 12.6), ("Kitchen", 6.3, 12.6), ("Study", 11.0, 12.6), ("Hall", 6.6, 8.0),
                       ("Living", 2.4, 5.2), ("Room 2", 7.2, 4.2), ("Room 3", 10.6, 3.6)):
        sheet.text(x, y, room, 42)
    for x0, y0, x1, y1 in ((1.5, 10.2, 3.4, 12.0), (5.1, 13.5, 9.0, 13.95), (11.2, 10.6, 13.0, 11.6), (2.2, 2.2, 4.6, 3.0),
                           (6.2, 1.8, 6.8, 3.6), (12.2, 1.6, 13.8, 3.4), (12.0, 4.9, 13.7, 5.5), (1.5, 6.3, 2.9, 7.0)):
        sheet.box(x0, y0, x1, y1)
        sheet.box(x0 + 0.08, y0 + 0.08, x1 - 0.08, y1 - 0.08)
    for x, y in ((7.0, 10.8), (8.6, 2.6), (3.4, 3.5)):
        sheet.circle(x, y, 0.45)
    sheet.door(5.2, 6.0, 0.9, 0, -90)
    sheet.door(11.3, 6.0, 0.9, 180, 270)
    sheet.door(3.6, 9.28, 0.9, 0, 90)
    sheet.door(9.9, 9.28, 0.9, 180, 90)
    sheet.door(7.2, 1.2, 0.9, 0, 90)
    sheet.door(1.28, 7.3, 0.9, 90, 0)
    sheet.dimension(1.2, 14.16, 0.6)
    sheet.text(9.6, 15.1, "Flat 4, ground floor  1:100", 30)
    sheet.box(0.01, 0.01, 15.35, 15.35, 2)
    return sheet.picture


def scan(sheet, random):
    """64 pixels a metre in sixteen greys."""
    margin = 220
    page = Image.new("L", (SIDE + 2 * margin, SIDE + 2 * margin), PAPER)
    page.paste(sheet, (margin, margin))
    page = page.rotate(1.5, Image.Resampling.BICUBIC, expand=True, fillcolor=PAPER)
    side = round(page.width * 64 / (100 * FINE))
    grey = numpy.asarray(page.resize((side, side), Image.Resampling.BOX), dtype=float)
    grey = 34 + (grey - INK) * (232 - 34) / (PAPER - INK) + random.normal(0, 9, grey.shape)
    specks = random.random(grey.shape)
    grey[specks < 4e-4] = 0
    grey[specks > 1 - 4e-4] = 255
    return Image.fromarray((numpy.clip(numpy.round(grey / 17), 0, 15) * 17).astype(numpy.uint8))


def solve_map(new, old):
    """The eight numbers of the projective map that takes corners of the new picture to those of the old one."""
    rows, right = [], []
    for (x, y), (u, v) in zip(new, old):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        right += [u, v]
    return numpy.linalg.solve(numpy.array(rows), numpy.array(right))


def photograph(sheet, random):
    """The sheet on a wooden table, from below and from the left; light from a window at the upper left."""
    width, height, margin = 1600, 1200, 260
    page = Image.new("L", (SIDE + 2 * margin, SIDE + 2 * margin), PAPER)
    page.paste(sheet, (margin, margin))
    corners = [(345, 95), (1290, 60), (1490, 1120), (205, 1080)]  # of the frame in the photograph, y downwards, upper left first
    frame = [(margin, margin), (margin + SIDE, margin), (margin + SIDE, margin + SIDE), (margin, margin + SIDE)]
    twice = [(2 * x, 2 * y) for x, y in corners]
    paper = page.reduce(2)
    map_ = solve_map(twice, [(x / 2, y / 2) for x, y in frame])
    seen = paper.transform((2 * width, 2 * height), Image.Transform.PERSPECTIVE, map_, Image.Resampling.BICUBIC, fillcolor=0)
    inside = Image.new("L", paper.size, 255).transform((2 * width, 2 * height), Image.Transform.PERSPECTIVE, map_, fillcolor=0)
    grey = numpy.asarray(seen.resize((width, height), Image.Resampling.BOX), dtype=float)
    share = numpy.asarray(inside.resize((width, height), Image.Resampling.BOX), dtype=float) / 255
    y, x = numpy.mgrid[0:height, 0:width]
    light = 0.93 - 0.28 * x / width - 0.22 * y / height - 0.12 * numpy.exp(-(((x - 1150) / 260) ** 2 + ((y - 820) / 330) ** 2))
    ink = 30 + (grey - INK) * (250 - 30) / (PAPER - INK)
    table = 96 + 10 * numpy.sin(y / 9 + 2 * numpy.sin(x / 170))
    colour = numpy.stack([share * ink * tint + (1 - share) * table * wood
                          for tint, wood in ((1.0, 1.15), (0.97, 0.86), (0.9, 0.6))], axis=-1)
    colour = colour * light[..., None] + random.normal(0, 4, colour.shape)
    return Image.fromarray(numpy.clip(colour, 0, 255).astype(numpy.uint8)), [(x, height - y) for x, y in reversed(corners)]


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    random = numpy.random.default_rng(4)
    sheet = draw_sheet()
    scan(sheet, random).save(os.path.join(here, "flat_scan.png"), bits=4, optimize=True)
    picture, corners = photograph(sheet, random)
    picture.save(os.path.join(here, "flat_photo.jpg"), quality=70)
    print("corners of the frame of flat_photo.jpg, lower left first:", corners)
