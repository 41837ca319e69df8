/* Planning tools state what a wall takes away, in dB; a field solver wants a permittivity and a conductivity. */
#pragma once

/* The loss in dB at right angles through a slab in air: its relative permittivity, conductivity [S/m], thickness [m],
 * at a frequency [Hz] (ITU-R P.2040-4, equations 43 and 44 of a slab, with the reflections inside). */
double slab_loss(double permittivity, double conductivity, double thickness, double frequency);

/* The conductivity [S/m] at which such a slab loses `loss` dB; 0 when it loses more without any. */
double conductivity_for_loss(double permittivity, double thickness, double frequency, double loss);
