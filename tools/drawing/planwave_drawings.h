/* The formats of drawings that this library reads: DXF, SVG, PDF, Ekahau, IMDF, OpenStreetMap, OpenIntent, GeoJSON and
 * pictures (pw_choice_describe lists them). A program that is linked with libplanwave.so, or that calls what is here,
 * has them from its start, and pictures in JPEG and TIFF too. */
#ifndef PLANWAVE_DRAWING_FORMATS_H
#define PLANWAVE_DRAWING_FORMATS_H

#include "planwave.h"

PW_C_BEGIN

/* The reader of all of them: pw_drawings_use(pw_drawing_formats()). */
const pw_drawing_reader *pw_drawing_formats(void);

PW_C_END

#endif
