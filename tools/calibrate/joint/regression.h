/* Robust linear regression with errors that are correlated within clusters: Huber's M-estimate by weights that are
 * found again and again (Huber and Ronchetti, Robust Statistics, 2nd ed., section 7.8), and its sandwich of variances.
 */
#pragma once

#include "tools/ground.h"

struct regression {
    int rows, columns;
    const double *matrix; /* (rows, columns) */
    const double *target; /* (rows) */
    const bool *left_out; /* (rows); NULL: none is */
    double huber;         /* in standard deviations; 0: least squares */
    const bool *below;    /* (rows); NULL: none is. The value is only known to be less than the target */
    const double *prior;  /* (columns); NULL: none. Standard deviation of what was known of a coefficient before; 0:
                             nothing was */
    const double *mean;   /* (columns), with `prior`: about what */
    double alike;         /* with `prior`: so many rows tell as much as one; under 1: 1 */
};

/* beta (columns); *scale: robust standard deviation of the residuals. Directions that the rows do not determine stay
 * near zero. */
pw_status regression_solve(const struct regression *regression, double *beta, double *scale, pw_error *error);

/* By how much errors that are alike within clusters thin the rows out: so many tell as much as one (L. Kish, Survey
 * Sampling, 1965, 1 + (m - 1) rho with m rows in a cluster and rho their correlation). */
double regression_alike(const struct regression *regression, const double *beta, double scale, const int *cluster,
                        int clusters);

/* Variances of beta, (columns, columns): with errors that are correlated among rows of one cluster (row's number in
 * `cluster`, 0 .. clusters-1), each row and column then widened to what uncorrelated errors would give. */
pw_status regression_covariance(const struct regression *regression, const double *beta, double scale,
                                const int *cluster, int clusters, double *covariance, pw_error *error);

/* Huber's loss of a residual over the scale. */
double huber_loss(double residual, double huber);

/* The same of a value that is only known to be less than its target, t scales over the prediction. */
double below_loss(double t, double huber);

/* Quantile 0.975 of Student's distribution with `freedom` degrees of freedom, at least 1. */
double student_quantile(double freedom);
