/* What the scenario leaves open is chosen here, when the plan is known: scheme, averaging and cell by the accuracy that
 * is wanted, the end of the run and the number of frequencies by how long the plan is forecast to ring. Every choice
 * comes with its reason. The Courant number is chosen with the medium (setup.c). */
#pragma once

#include "discretize/setup.h"

/* Fills setup->transport and all that is open in setup->chosen but the Courant number; a sentence for each choice goes
 * to setup->choices. `transport` not NULL: a forecast to take. PW_BAD_INPUT: a transmitter that never ends in a
 * scenario without `after` or `steps`. */
pw_status choose_open(struct setup *setup, const struct energy_transport *transport, pw_error *error);

/* How many times as long `accuracy: 10 %` takes on this plan as what was chosen, where the scenario asks for delays or
 * phases (receivers, a number of frequencies) and the field is forecast to be over 20 % off; else 0. */
double choose_phase_cost(const struct setup *setup);

/* The way the set-up solves, for the law of errors. */
struct error_question setup_question(const struct setup *setup);
