"""Data sets for machine learning: radio maps from many transmitters, and channels in the layout of DeepMIMO v4.

```sh
python -m planwave.learning maps floorplans/flat.yaml --count 1000 --output maps.npz
python -m planwave.learning probes office.yaml --output probed.yaml   # for angles of departure, before it is run
python -m planwave.learning deepmimo office.h5 --grid 2,2,34,18,0.5 --output deepmimo_scenarios/office
```

`radio_maps` and `write_deepmimo` are the same for programs.
"""

from .deepmimo import with_probes, write_deepmimo
from .map_sets import RadioMaps, radio_maps

__all__ = ["RadioMaps", "radio_maps", "with_probes", "write_deepmimo"]
