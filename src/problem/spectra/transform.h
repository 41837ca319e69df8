/* The arithmetic of a transformed group of samples (spectra.h), on scalars, vectors and the GPU alike: include after
 * cell.h, with REAL, FMA and CELL as there.
 *
 * 256 real samples are windowed, padded with as many zeros and shifted cyclically so that the middle one comes first.
 * Taken in twos they are 256 complex values z[m], of which m = 0..63 and 192..255 are not zero. Their transform Z is
 * made as 16 transforms of 16 values 16 apart (transform_16_ends: only the first and the last four are not zero), a
 * rotation of each value, and 16 transforms across (transform_16). split_bins makes the spectrum of the real samples
 * from Z. */

/* (re + j im) (cosine + j minus_sine) */
CELL_FUNCTION void CELL(rotate)(REAL *re, REAL *im, REAL cosine, REAL minus_sine)
{
    REAL real = *re;
    *re = FMA(-*im, minus_sine, real * cosine);
    *im = FMA(*im, cosine, real * minus_sine);
}

/* Values a, b, c, d become their transform, in place. */
CELL_FUNCTION void CELL(transform_4)(REAL *re, REAL *im, int a, int b, int c, int d)
{
    REAL even_re = re[a] + re[c], even_im = im[a] + im[c], odd_re = re[a] - re[c], odd_im = im[a] - im[c];
    REAL sum_re = re[b] + re[d], sum_im = im[b] + im[d];
    REAL quarter_re = im[b] - im[d], quarter_im = re[d] - re[b]; /* -j times the difference */
    re[a] = even_re + sum_re;
    im[a] = even_im + sum_im;
    re[b] = odd_re + quarter_re;
    im[b] = odd_im + quarter_im;
    re[c] = even_re - sum_re;
    im[c] = even_im - sum_im;
    re[d] = odd_re - quarter_re;
    im[d] = odd_im - quarter_im;
}

/* transform_4 of values of which b and c are zero. */
CELL_FUNCTION void CELL(transform_4_ends)(REAL *re, REAL *im, int a, int b, int c, int d)
{
    REAL first_re = re[a], first_im = im[a], last_re = re[d], last_im = im[d];
    re[a] = first_re + last_re;
    im[a] = first_im + last_im;
    re[b] = first_re - last_im;
    im[b] = first_im + last_re;
    re[c] = first_re - last_re;
    im[c] = first_im - last_im;
    re[d] = first_re + last_im;
    im[d] = first_im - last_re;
}

/* The second half of a transform of 16 values, after the transforms of every fourth value. root: cos(pi/4), cos(pi/8),
 * sin(pi/8). */
CELL_FUNCTION void CELL(transform_16_rest)(REAL *re, REAL *im, const REAL root[3])
{
    CELL(rotate)(&re[5], &im[5], root[1], -root[2]);
    CELL(rotate)(&re[6], &im[6], root[0], -root[0]);
    CELL(rotate)(&re[7], &im[7], root[2], -root[1]);
    CELL(rotate)(&re[9], &im[9], root[0], -root[0]);
    REAL real = re[10];
    re[10] = im[10];
    im[10] = -real;
    CELL(rotate)(&re[11], &im[11], -root[0], -root[0]);
    CELL(rotate)(&re[13], &im[13], root[2], -root[1]);
    CELL(rotate)(&re[14], &im[14], -root[0], -root[0]);
    CELL(rotate)(&re[15], &im[15], -root[1], root[2]);
    CELL(transform_4)(re, im, 0, 1, 2, 3);
    CELL(transform_4)(re, im, 4, 5, 6, 7);
    CELL(transform_4)(re, im, 8, 9, 10, 11);
    CELL(transform_4)(re, im, 12, 13, 14, 15);
}

/* Sixteen values become their transform, of which number k stands at 4 (k mod 4) + k/4. */
CELL_FUNCTION void CELL(transform_16)(REAL *re, REAL *im, const REAL root[3])
{
    CELL(transform_4)(re, im, 0, 4, 8, 12);
    CELL(transform_4)(re, im, 1, 5, 9, 13);
    CELL(transform_4)(re, im, 2, 6, 10, 14);
    CELL(transform_4)(re, im, 3, 7, 11, 15);
    CELL(transform_16_rest)(re, im, root);
}

/* transform_16 of values of which 4 to 11 are zero. */
CELL_FUNCTION void CELL(transform_16_ends)(REAL *re, REAL *im, const REAL root[3])
{
    CELL(transform_4_ends)(re, im, 0, 4, 8, 12);
    CELL(transform_4_ends)(re, im, 1, 5, 9, 13);
    CELL(transform_4_ends)(re, im, 2, 6, 10, 14);
    CELL(transform_4_ends)(re, im, 3, 7, 11, 15);
    CELL(transform_16_rest)(re, im, root);
}

/* Z[k] and Z[256-k] become bins k and 256-k of the real samples' transform, given (cosine, minus_sine) of 2 pi k/512.
 */
CELL_FUNCTION void CELL(split_bins)(REAL *low_re, REAL *low_im, REAL *high_re, REAL *high_im, REAL cosine,
                                    REAL minus_sine)
{
    REAL even_re = *low_re + *high_re, even_im = *low_im - *high_im;
    REAL odd_re = *low_im + *high_im, odd_im = *high_re - *low_re;
    CELL(rotate)(&odd_re, &odd_im, cosine, minus_sine);
    *low_re = even_re + odd_re;
    *low_im = even_im + odd_im;
    *high_re = even_re - odd_re;
    *high_im = odd_im - even_im;
}
