/* Formats that a plan is written in. A format is a file export_*.c and a line in the table here; help texts and
 * messages list the table. */
#pragma once

#include "export/exported_plan.h"
#include "import/planwave_import.h"

struct plan_exporter {
    const char *name, *ending, *description;
    bool one_storey; /* has room for one alone */
    bool walls;      /* writes walls */
    pw_status (*write)(const struct exported_plan *plan, FILE *file, pw_error *error);
};

#define PLAN_EXPORTERS(X)                                                                                              \
    X(svg)                                                                                                             \
    X(geojson)                                                                                                         \
    X(openintent)                                                                                                      \
    X(csv)

#define PLAN_EXPORTER_DECLARE(name) extern const struct plan_exporter plan_exporter_##name;
PLAN_EXPORTERS(PLAN_EXPORTER_DECLARE)
#undef PLAN_EXPORTER_DECLARE
