"""Names of materials in models of buildings -> materials of ITU-R P.2040. Users add their own lines, which come first."""

from __future__ import annotations

import csv
import fnmatch
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from .. import errors
from .._library import decoded, encoded, library

if TYPE_CHECKING:
    from ..scenario import PathLike

Substance = Union[str, Mapping[str, Any]]

# The first line with a word of the name decides: one that begins a word of it, or, of five letters and more, that stands within one, as
# in Stahlbeton. So what holds another word comes before it.
WORDS: list[tuple[str, str]] = [
    (
        "mineral wool|rockwool|fibreglass|fiberglass|glass wool|glasswool|glaswolle|steinwolle|mineralwolle|insulation|insul|"
        "isolation|isolant|isolierung|dämm|daemm|wärmedämm|waermedaemm|eps|xps|polystyr|styropor|styrofoam|"
        "polyurethan|pir|pur|aislamiento|isolamento|isolatie",
        "air",
    ),
    # Between studs, which stand far apart, a wall is air.
    ("stud layer|stud|ständer|staender|montant|furring|firring", "air"),
    ("acoustic ceiling|ceiling|akustik|acoustic|mineralfaser|deckenplatte", "ceiling board"),
    ("low-e|low e|wärmeschutzglas|coated glass", "low-e glass"),
    ("air|luft|cavity|hohlraum|aire|aria|lucht|void", "air"),
    ("membrane|membran|vapour|vapor|folie|foil|dampf|waterproof|abdichtung|film", "air"),
    (
        "gypsum|gips|plasterboard|drywall|sheetrock|wallboard|placo|plâtre|platre|cartongesso|yeso|pladur|"
        "plaster|putz|stucco|enduit|intonaco|gyp",
        "plasterboard",
    ),
    ("chipboard|particle|spanplatte|osb|mdf|fibreboard|fiberboard|hdf", "chipboard"),
    ("plywood|sperrholz|contreplaqué|multiplex", "plywood"),
    ("timber|wood|holz|bois|madera|legno|hout|oak|eiche|pine|fichte|spruce|beech|larch|clt|glulam|bsh|parquet|parkett|laminat", "wood"),
    ("concrete block|cinder block|breeze block|betonstein|betonblock|grout", "concrete"),
    (
        "sand-lime|sand lime|lime brick|brick|ziegel|mauerwerk|masonry|klinker|clinker|brique|ladrillo|"
        "mattone|baksteen|kalksandstein|kalkzandsteen|calcium silicate|clay|block|poroton",
        "brick",
    ),
    (
        "concrete|beton|stahlbeton|stb|béton|hormigón|hormigon|calcestruzzo|cement|zement|screed|estrich|"
        "mortar|mörtel|ytong|porenbeton|c20/25|c25/30|c30/37",
        "concrete",
    ),
    ("ceramic|keramik|fliese|tile|carrelage|azulejo|marble|marmor|granite|granit|stone|naturstein|limestone|slate", "marble"),
    ("glass|glas|verre|vetro|vidrio|glazing|verglasung|glazed", "glass"),
    ("steel|stahl|acier|acero|acciaio|staal|metal|metall|alumin|alu|zinc|zink|iron|eisen|copper|kupfer|sheet|blech|brass", "metal"),
    ("carpet|teppich|moquette", "carpet tile"),
    ("vinyl|linoleum|pvc|plastic|kunststoff", "vinyl tile"),
    ("acrylic|acryl|plexiglas|perspex|polycarbonat", "clear acrylic"),
    ("asphalt|bitumen|tarmac", "asphalt concrete"),
    ("soil|earth|erde|ground|boden|gravel|kies", "medium dry ground"),
]


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(
        "|".join(word if len(word) >= 5 else rf"(?<![a-zà-ÿ]){word}" for word in map(re.escape, words.split("|"))), re.IGNORECASE
    )


_WORDS = [(_pattern(words), meaning) for words, meaning in WORDS]


@dataclass
class Materials:
    """The table, with a user's own lines: patterns such as ``"Kalksandstein*"``, or words, to a material."""

    own: Mapping[str, Substance]

    def of(self, name: str) -> Substance | None:
        """What a name stands for; None: it is not known."""
        low = name.casefold().strip()
        for pattern, meaning in self.own.items():
            if fnmatch.fnmatchcase(low, pattern.casefold()) or (not re.search(r"[*?\[]", pattern) and pattern.casefold() in low):
                return meaning
        known = library.pw_material_canonical(encoded(low.replace("_", " ")))
        if known:
            return decoded(known)
        spaced = re.sub(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])|[_\-/]+", " ", name)
        for text in (name, spaced):
            for words, meaning in _WORDS:
                if words.search(text):
                    return meaning
        meant = library.pw_material_meant(encoded(low))
        return decoded(meant) if meant else None


def read_table(path: PathLike) -> dict[str, Substance]:
    """Lines ``name,material`` of a CSV; or with a header ``name,relative_permittivity,conductivity``.

    Raises
    ------
    BadInput
        A file that cannot be read, or a line that is not of two or three columns.
    """
    found: dict[str, Substance] = {}
    try:
        lines = list(csv.reader(Path(path).read_text(encoding="utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError) as failure:
        raise errors.BadInput(f"cannot read the table of materials '{path}': {failure}", what="materials", value=str(path)) from failure
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line]
        if not any(cells) or cells[0].startswith("#") or cells[0].casefold() in ("name", "material"):
            continue
        try:
            found[cells[0]] = cells[1] if len(cells) == 2 else {"relative_permittivity": float(cells[1]), "conductivity": float(cells[2])}
        except (IndexError, ValueError):
            raise errors.BadInput(
                f"{path}:{number}: '{','.join(line)}': write NAME,MATERIAL or NAME,RELATIVE_PERMITTIVITY,CONDUCTIVITY",
                what="materials",
                value=line,
            ) from None
    return found
