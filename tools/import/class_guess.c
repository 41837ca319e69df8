/* Guesses from names and colours (class_guess.h); what words mean stands in class_words.c. */
#include "import/class_guess.h"
#include "import/class_words.h"

#include <stdio.h>
#include <string.h>

const char *material_spoken_of(const char *text)
{
    const char *spoken = name_sense_of(text).material, *known = pw_material_canonical(text);
    return spoken != NULL ? spoken : known != NULL ? known : pw_material_meant(text);
}

/* Whether the name is a colour alone: "#rrggbb" of a picture, "fill #rrggbb", "stroke #rrggbb width 0.7". */
static bool is_paint(const char *name)
{
    static const char *const BEFORE[] = {"#", "fill #", "stroke #"};
    for (size_t n = 0; n < sizeof BEFORE / sizeof BEFORE[0]; n++) {
        if (strncmp(name, BEFORE[n], strlen(BEFORE[n])) == 0) {
            return true;
        }
    }
    return false;
}

/* What a name stands for. Lines of a hatch are the pattern in a wall. */
static enum class_use use_of(const struct drawing_class *class, const struct name_sense *sense)
{
    bool areas_alone = class->areas > 0 && class->lines == 0;
    switch (sense->meaning) {
    case WORD_WALL:
        return sense->hatched && !areas_alone ? CLASS_IGNORED : CLASS_WALLS;
    case WORD_WINDOW:
        return sense->hatched && !areas_alone ? CLASS_IGNORED : CLASS_WINDOWS;
    case WORD_DOOR:
        return CLASS_DOORS;
    case WORD_OPENING:
        return areas_alone ? CLASS_OPENINGS : CLASS_DOORS;
    case WORD_THING:
    case WORD_PLACE:
        return CLASS_IGNORED;
    default:
        return sense->hatched ? CLASS_IGNORED : CLASS_OPEN;
    }
}

/* The thickness of lines that have none, and of what lies in a wall. */
static double usual_thickness(const struct class_guess *guess)
{
    const double wall = 0.12, leaf = 0.04, pane = 0.01; /* m */
    switch (guess->use) {
    case CLASS_WINDOWS:
        return pane;
    case CLASS_OPENINGS:
    case CLASS_DOORS:
        return guess->material != NULL ? leaf : 0;
    default: /* of glass a wall is a pane */
        return guess->material != NULL && strcmp(guess->material, "glass") == 0 ? pane : wall;
    }
}

/* A door that is drawn by its leaf and arc is open, one that is a filled box is closed. Of an opening of which nothing
 * is known no material is guessed. */
static const char *usual_material(const struct drawing_class *class, const struct class_guess *guess, const char *said,
                                  const char *wall)
{
    if (guess->use == CLASS_DOORS && class->lines > 0) {
        return NULL;
    }
    return said != NULL ? said : guess->use == CLASS_OPENINGS || guess->use == CLASS_DOORS ? NULL : wall;
}

/* Material and thickness of what is a wall, or lies in one. An opening of which nothing is known is a hole. */
static void fabric_guess(const struct drawing_class *class, const char *wall, bool lines_have_width,
                         const struct name_sense *sense, struct class_guess *guess)
{
    const char *said = pw_material_canonical(class->material);
    said = said == NULL && class->material[0] != '\0' ? material_spoken_of(class->material) : said;
    said = said != NULL ? said : sense->material;
    said = said != NULL || is_paint(class->name) ? said : material_spoken_of(class->name);
    guess->material = usual_material(class, guess, said, wall);
    guess->material_guessed = said == NULL && guess->material != NULL;
    bool thing = guess->use == CLASS_WINDOWS || guess->use == CLASS_DOORS;
    bool wants = class->lines > 0 || guess->use == CLASS_OUTLINES || thing;
    bool drawn = lines_have_width && !thing;
    guess->thickness = drawn ? 0 : class->thickness;
    if (wants && !(class->thickness > 0) && !drawn) {
        guess->thickness = usual_thickness(guess);
        guess->thickness_guessed = guess->thickness > 0;
    }
}

/* What the name means; where it says nothing, or only where the thing is, the groups around it, the nearest first. */
static struct name_sense sense_of(const struct drawing_class *class, const char **from)
{
    struct name_sense sense = name_sense_of(class->name);
    char around[DRAWING_NAME_SIZE];
    snprintf(around, sizeof around, "%s", class->around);
    *from = "name";
    for (size_t end = strlen(around); end > 0 && sense.meaning >= WORD_PLACE; end = strlen(around)) {
        char *slash = strrchr(around, '/'), *name = slash != NULL ? slash + 1 : around;
        struct name_sense outer = name_sense_of(name);
        sense.material = sense.material != NULL ? sense.material : outer.material;
        if (outer.meaning < sense.meaning) {
            sense.meaning = outer.meaning;
            *from = "group around it";
        }
        *(slash != NULL ? slash : around) = '\0';
    }
    return sense;
}

void class_guess(const struct drawing_class *class, const char *wall, bool lines_have_width, struct class_guess *guess)
{
    const char *from = "name";
    struct name_sense sense = sense_of(class, &from);
    bool said = class->use != CLASS_OPEN, paint = !said && is_paint(class->name) && sense.meaning == WORD_NOTHING;
    *guess = (struct class_guess){.use = said ? class->use : use_of(class, &sense)};
    if (paint) { /* thin lines of whatever colour are any pen's */
        bool wide = class->lines == 0 || lines_have_width;
        guess->use = drawing_colour_is_dark(class->colour) && wide ? CLASS_WALLS : CLASS_OPEN;
    }
    if (guess->use != CLASS_OPEN && guess->use != CLASS_IGNORED) {
        fabric_guess(class, wall, lines_have_width, &sense, guess);
    }
    if (said || guess->use == CLASS_OPEN) {
        snprintf(guess->reason, sizeof guess->reason, said ? "as the file says" : "not understood");
    } else {
        snprintf(guess->reason, sizeof guess->reason, "guessed from the %s", paint ? "colour" : from);
    }
}
