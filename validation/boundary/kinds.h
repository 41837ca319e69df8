/* The kinds of absorber that the cases compare. */
#ifndef KINDS_H
#define KINDS_H

enum { UPML, CPML, BERENGER, MUR_1, MUR_2, PEC, KINDS };
static const struct {
    const char *title, *name;
    int order; /* of mur */
} KIND[KINDS] = {{"upml", "upml", 0},        {"cpml", "cpml", 0},        {"berenger", "berenger", 0},
                 {"mur, order 1", "mur", 1}, {"mur, order 2", "mur", 2}, {"pec", "pec", 0}};

#endif
