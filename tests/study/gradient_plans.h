/* Plans on which gradients are tested, and what of them is varied. */
#ifndef GRADIENT_PLANS_H
#define GRADIENT_PLANS_H

#include "tests/support/check.h"

#include "planwave.h"

#define LAYER                                                                                                          \
    "plan:\n"                                                                                                          \
    "  size: [0.9 m, 0.6 m]\n"                                                                                         \
    "  walls:\n"                                                                                                       \
    "    - {from: [0.427 m, 0 m], to: [0.427 m, 0.4 m], thickness: 9 cm, material: brick}\n"                           \
    "    - {from: [0 m, 0.45 m], to: [0.3 m, 0.45 m], thickness: 7 cm, material: concrete}\n"                          \
    "polarisation: horizontal\n"                                                                                       \
    "grid: {cell: 2.5 cm, courant: 0.3, %s}\n"                                                                         \
    "band: {centre: 1 GHz, width: 400 MHz}\n"                                                                          \
    "transmitters: [{name: a, at: [0.21 m, 0.3 m]}, {name: b, at: [0.2 m, 0.13 m], polarisation: x}]\n"                \
    "receivers:\n"                                                                                                     \
    "  - {name: open, at: [0.73 m, 0.32 m], polarisation: y}\n"                                                        \
    "  - {name: wall, at: [0.42 m, 0.3 m], polarisation: x}\n"                                                         \
    "spectra: {count: 5, spacing: 2 cells}\n"                                                                          \
    "stop: {after: 40 ns, decay: off}\n"

#define SPACE                                                                                                          \
    "dimensions: 3\n"                                                                                                  \
    "plan:\n"                                                                                                          \
    "  size: [0.5 m, 0.4 m]\n"                                                                                         \
    "  walls: [{from: [0.227 m, 0 m], to: [0.227 m, 0.3 m], thickness: 8 cm, material: brick}]\n"                      \
    "  storeys: [{height: 0.4 m, floor: {material: concrete, thickness: 7 cm}}]\n"                                     \
    "grid: {cell: 2.5 cm, courant: 0.3, %s}\n"                                                                         \
    "band: {centre: 1 GHz, width: 400 MHz}\n"                                                                          \
    "transmitters:\n"                                                                                                  \
    "  - {name: a, at: [0.11 m, 0.2 m], height: 0.21 m}\n"                                                             \
    "  - {name: b, at: [0.1 m, 0.3 m], height: 0.13 m, polarisation: x}\n"                                             \
    "receivers:\n"                                                                                                     \
    "  - {name: open, at: [0.38 m, 0.22 m], height: 0.2 m}\n"                                                          \
    "  - {name: wall, at: [0.41 m, 0.3 m], height: 0.05 m, polarisation: y}\n"                                         \
    "spectra: {count: 5, spacing: 2 cells, heights: [0.2 m]}\n"                                                        \
    "stop: {after: 30 ns, decay: off}\n"

#define ROOM                                                                                                           \
    "plan:\n"                                                                                                          \
    "  size: [1.4 m, 1.1 m]\n"                                                                                         \
    "  walls:\n"                                                                                                       \
    "    - {from: [0.727 m, 0 m], to: [0.727 m, 0.8 m], thickness: 9 cm, material: brick}\n"                           \
    "    - {from: [0 m, 0.85 m], to: [0.6 m, 1 m], thickness: 8 cm, material: concrete}\n"                             \
    "  rectangles: [{from: [1.1 m, 0.2 m], to: [1.2 m, 0.3 m], material: metal}]\n"                                    \
    "grid: {cell: 2.5 cm, courant: 0.3, %s}\n"                                                                         \
    "band: {centre: 1 GHz, width: 400 MHz}\n"                                                                          \
    "transmitters: [{name: a, at: [0.21 m, 0.4 m]}, {name: b, at: [0.3 m, 0.63 m]}]\n"                                 \
    "receivers: [{name: open, at: [1.03 m, 0.52 m]}, {name: wall, at: [0.72 m, 0.3 m]}]\n"                             \
    "spectra: {count: 5, spacing: 2 cells}\n"                                                                          \
    "stop: {after: 70 ns, decay: off}\n"

/* Panes with a coating each, one in the way and one beside it. */
#define PANES                                                                                                          \
    "plan:\n"                                                                                                          \
    "  size: [1 m, 0.8 m]\n"                                                                                           \
    "  walls:\n"                                                                                                       \
    "    - {from: [0.527 m, 0 m], to: [0.527 m, 0.6 m], thickness: 6 mm, material: glass, coating: 20 ohm}\n"          \
    "    - {from: [0 m, 0.71 m], to: [0.7 m, 0.71 m], thickness: 6 mm, material: glass, coating: 150 ohm}\n"           \
    "%s"                                                                                                               \
    "band: {centre: 1 GHz, width: 400 MHz}\n"                                                                          \
    "transmitters: [{name: a, at: [0.21 m, 0.4 m]}, {name: b, at: [0.3 m, 0.53 m]}]\n"                                 \
    "spectra: {count: 5, spacing: 2 cells}\n"                                                                          \
    "stop: {after: 80 ns, decay: off}\n"

static const char *const PARAMETERS[] = {
    "brick:permittivity", "brick:conductivity", "concrete:permittivity", "brick:thickness", "a:x", "b:y"};
static const char *const IN_SPACE[] = {"brick:permittivity", "brick:conductivity", "a:x", "b:y"};
static const char *const COATINGS[] = {"coating 20 ohm:resistance", "coating 150 ohm:resistance"};
enum { PARAMETER_COUNT = sizeof PARAMETERS / sizeof *PARAMETERS, LINKS = 4, FREQUENCIES = 5 };

static pw_scenario *scenario_of(const char *plan, const char *grid)
{
    char text[4096];
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    snprintf(text, sizeof text, plan, grid); /* NOLINT(clang-diagnostic-format-nonliteral) */
    if (pw_scenario_parse("room.yaml", text, NULL, 0, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

#endif
