/* Free-space waves for the time dependence exp(+jwt): of a line current by the Hankel function of the second kind and
 * order zero, and of a dipole. */
#pragma once

/* H0^(2)(x) = J0(x) - j Y0(x) for x > 0. Otherwise NAN. Source: Abramowitz and Stegun, Handbook of Mathematical
 * Functions, 9.1.4. */
void hankel_h0_2(double x, double *re, double *im);

/* Field of a line current of 1 A in free space at `distance` [m] > 0, at `frequency` [Hz] > 0, in V/m:
 * H_fs = -(w mu0/4) H0^(2)(k distance), physics.md section 6. Otherwise NAN. */
void line_current_field(double frequency, double distance, double *re, double *im);

/* Far field of a Hertzian dipole of 1 A m, broadside of it, at `distance` [m] > 0, in V/m:
 * -j w mu0 exp(-jk distance)/(4 pi distance), physics.md section 9. NAN for frequencies that are not positive. */
void dipole_far_field(double frequency, double distance, double *re, double *im);
