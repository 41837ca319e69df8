/* Windows and doors of an import: what they are made of, and where they are (import.h). */
#include <string.h>

#include "import/import.h"

/* ---- what they are ---- */

/* Words for what fills an opening, beside the names of materials. Panes are of float glass, as it is built in. */
struct filling {
    const char *words, *material;
    int panes;
    double thickness, gap; /* m */
};

static const struct filling FILLINGS[] = {
    {"open", NULL, 0, 0, 0},
    {"single glazing", "glass", 1, 0.004, 0},
    {"double glazing", "glass", 2, 0.004, 0.016},
    {"triple glazing", "glass", 3, 0.004, 0.012},
};

/* The filling that the user's words name; a material alone leaves the thickness as it is guessed. */
static pw_status filling_read(const char *option, const char *words, struct filling *filling, pw_error *error)
{
    for (size_t f = 0; f < sizeof FILLINGS / sizeof FILLINGS[0]; f++) {
        if (strcmp(FILLINGS[f].words, words) == 0) {
            *filling = FILLINGS[f];
            return PW_OK;
        }
    }
    const char *known = pw_material_canonical(words);
    *filling = (struct filling){.words = words, .material = known != NULL ? known : material_spoken_of(words)};
    char names[400];
    return filling->material != NULL
               ? PW_OK
               : fail(error, PW_USAGE,
                      "--%s '%s': write open, single glazing, double glazing, triple glazing or a material: %s", option,
                      words, pw_material_names(names, sizeof names));
}

pw_status import_things_choose(const struct import *import, struct import_class *own, pw_error *error)
{
    const double pane = 0.01, leaf = 0.04; /* m */
    const char *words[2] = {import->options->windows, import->options->doors};
    static const char *const NAMES[2] = {"windows", "doors"};
    for (int n = 0; n < 2; n++) {
        struct filling filling;
        if (words[n] == NULL) {
            continue;
        }
        TRY(filling_read(NAMES[n], words[n], &filling, error));
        if (own == NULL || own->said != NULL || own->guess.use != (n == 0 ? CLASS_WINDOWS : CLASS_DOORS)) {
            continue;
        }
        own->guess.material = filling.material;
        own->guess.panes = filling.panes;
        own->guess.gap = filling.gap;
        own->guess.material_guessed = false;
        own->guess.thickness_guessed = filling.material != NULL && !(filling.thickness > 0);
        own->guess.thickness = own->guess.thickness_guessed ? (n == 0 ? pane : leaf) : filling.thickness;
    }
    return PW_OK;
}

/* ---- where they are ---- */

/* The walls of an import, by class; both arrays are to be freed. */
static pw_status walls_known(const struct import *import, double **thickness, bool **outlined, pw_error *error)
{
    const size_t classes = import->drawing.class_count;
    *thickness = allocate(classes, sizeof **thickness, "windows and doors", error);
    *outlined = allocate(classes, sizeof **outlined, "windows and doors", error);
    pw_status status = *thickness != NULL && *outlined != NULL ? PW_OK : PW_NO_RESOURCE;
    for (size_t n = 0; status == PW_OK && n < classes; n++) {
        const struct class_guess *guess = &import->classes[n].guess;
        bool wall = guess->use == CLASS_WALLS || guess->use == CLASS_FACES || guess->use == CLASS_OUTLINES;
        (*thickness)[n] = wall || import->classes[n].said != NULL ? guess->thickness / import->unit : -1;
        (*outlined)[n] = guess->use == CLASS_OUTLINES;
    }
    return status;
}

pw_status import_gaps(struct import *import, pw_error *error)
{
    struct drawing *drawing = &import->drawing;
    const size_t before = drawing->element_count;
    OWNED double *thickness = NULL;
    OWNED bool *outlined = NULL, *thin = allocate(drawing->class_count, sizeof *thin, "windows and doors", error);
    TRY_MADE(thin);
    TRY(walls_known(import, &thickness, &outlined, error));
    bool filled = false, drawn = false; /* there are walls; windows or doors have a class of their own */
    for (size_t c = 0; c < drawing->class_count; c++) {
        const struct import_class *own = &import->classes[c];
        import->classes[c].thin = thin[c] =
            own->shown && own->lines > 0 && own->guess.use == CLASS_OPEN && own->said == NULL;
        filled = filled || (own->shown && thickness[c] >= 0);
        drawn = drawn || (own->shown && (own->guess.use == CLASS_WINDOWS || own->guess.use == CLASS_DOORS));
    }
    const struct opening_walls walls = {drawing, thickness, outlined};
    if (filled && !drawn) {
        TRY(drawing_gaps_add(drawing, &walls, thin, import->unit, error));
    }
    for (size_t e = before; e < drawing->element_count; e++) {
        struct import_class *own = &import->classes[drawing->elements[e].class_index];
        own->shown = import->gaps = true;
        own->lines++;
    }
    return PW_OK;
}

pw_status import_openings(const struct import *import, int c, struct opening **openings, size_t *count, pw_error *error)
{
    OWNED double *thickness = NULL;
    OWNED bool *outlined = NULL;
    *openings = NULL;
    *count = 0;
    TRY(walls_known(import, &thickness, &outlined, error));
    const struct opening_walls walls = {&import->drawing, thickness, outlined};
    TRY(drawing_openings(&walls, c, import->unit, import->classes[c].guess.use == CLASS_DOORS, openings, count, error));
    size_t kept = 0;
    for (size_t n = 0; n < *count; n++) {
        if (import_page_is_taken(import, (*openings)[n].page)) {
            (*openings)[kept++] = (*openings)[n];
        }
    }
    *count = kept;
    return PW_OK;
}
