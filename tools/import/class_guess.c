/* Guesses from names (class_guess.h): layers are named in many languages, but from few words. A word counts wherever it
 * stands in a name, so that AUSSENWAND and A-WALL-FULL are walls; short ones count only by themselves. */
#include "import/class_guess.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 256, SHORT_WORD = 3 };

/* Of classes that are no part of the building's fabric. */
static const char *const IGNORED[] = {
    "text",    "anno",   "dim",   "note",  "furn",     "moebel",     "möbel", "mobilier", "grid",  "axis", "achse",
    "hatch",   "symbol", "title", "frame", "border",   "rahmen",     "plant", "sanit",    "plumb", "elec", "elektr",
    "hvac",    "light",  "lamp",  "power", "defpoint", "viewport",   "logo",  "legend",   "north", "area", "room",
    "raum",    "space",  "zone",  "label", "mass",     "bemass",     "equip", "carpet",   "tree",  "car",  "park",
    "ceil",    "decke",  "floor", "boden", "stair",    "treppe",     "ramp",  "people",   "seat",  "desk", "chair",
    "schrift", "detail", "xref",  "image", "swing",    "background", NULL};
static const char *const DOORS[] = {"door", "opening", "tür", "tuer", "porte", "puerta", "porta", "gate", "tor", NULL};
static const char *const WINDOWS[] = {"window", "wind", "glaz", "fenster", "fenetre", "ventana", "finestra", NULL};
static const char *const WALLS[] = {"wall",    "wand",   "wände",  "waende",  "mur",    "muro",  "pared",     "parede",
                                    "column",  "colum",  "stütze", "stuetze", "pillar", "pilar", "partition", "ink",
                                    "fassade", "facade", "mauer",  "stena",   "sciana", "vagg",  NULL};

/* Words for materials beside those of the table itself (material_meant). */
static const struct {
    const char *word, *material;
} MATERIALS[] = {{"low e glass", "low-e glass"},
                 {"low e glaz", "low-e glass"},
                 {"low e wind", "low-e glass"},
                 {"lowe", "low-e glass"},
                 {"coated glass", "low-e glass"},
                 {"foil", "metal"},
                 {"concrete", "concrete"},
                 {"beton", "concrete"},
                 {"stb", "concrete"},
                 {"conc", "concrete"},
                 {"cement", "concrete"},
                 {"hormig", "concrete"},
                 {"brick", "brick"},
                 {"ziegel", "brick"},
                 {"mauerwerk", "brick"},
                 {"masonry", "brick"},
                 {"block", "concrete"},
                 {"ladrillo", "brick"},
                 {"brique", "brick"},
                 {"plaster", "plasterboard"},
                 {"gyps", "plasterboard"},
                 {"gips", "plasterboard"},
                 {"drywall", "plasterboard"},
                 {"dry wall", "plasterboard"},
                 {"trockenbau", "plasterboard"},
                 {"rigips", "plasterboard"},
                 {"gkb", "plasterboard"},
                 {"cubicle", "chipboard"},
                 {"partition", "plasterboard"},
                 {"chipboard", "chipboard"},
                 {"plywood", "plywood"},
                 {"wood", "wood"},
                 {"holz", "wood"},
                 {"timber", "wood"},
                 {"bois", "wood"},
                 {"madera", "wood"},
                 {"glass", "glass"},
                 {"glas", "glass"},
                 {"glaz", "glass"},
                 {"verre", "glass"},
                 {"window", "glass"},
                 {"fenster", "glass"},
                 {"metal", "metal"},
                 {"steel", "metal"},
                 {"stahl", "metal"},
                 {"elevator", "metal"},
                 {"lift", "metal"},
                 {"aufzug", "metal"},
                 {"marble", "marble"},
                 {"stone", "marble"},
                 {"door", "wood"},
                 {"tuer", "wood"},
                 {"tür", "wood"}};

/* In lower case, everything but letters a blank, one at either end. */
static void letters_of(const char *name, char text[TEXT_SIZE])
{
    size_t used = 0;
    text[used++] = ' ';
    for (const char *c = name; *c != '\0' && used + 2 < TEXT_SIZE; c++) {
        bool letter = isalpha((unsigned char)*c) || (unsigned char)*c >= 0x80;
        if (letter || text[used - 1] != ' ') {
            text[used++] = letter ? (char)tolower((unsigned char)*c) : ' ';
        }
    }
    if (text[used - 1] != ' ') {
        text[used++] = ' ';
    }
    text[used] = '\0';
}

/* A door in "indoor" or "outdoor" is none. */
static bool is_by_chance(const char *at, const char *text, const char *word)
{
    return strcmp(word, "door") == 0 && at - text >= 2 && (strncmp(at - 2, "in", 2) == 0 || at[-1] == 't');
}

/* Whether the word stands in the text; a short one only as a word of its own. */
static bool speaks_of(const char *text, const char *word)
{
    char alone[TEXT_SIZE];
    if (strlen(word) > SHORT_WORD) {
        const char *at = strstr(text, word);
        while (at != NULL && is_by_chance(at, text, word)) {
            at = strstr(at + 1, word);
        }
        return at != NULL;
    }
    snprintf(alone, sizeof alone, " %s ", word);
    return strstr(text, alone) != NULL;
}

static bool speaks_of_any(const char *text, const char *const *words)
{
    for (int w = 0; words[w] != NULL; w++) {
        if (speaks_of(text, words[w])) {
            return true;
        }
    }
    return false;
}

const char *material_spoken_of(const char *text)
{
    char letters[TEXT_SIZE];
    letters_of(text, letters);
    for (size_t m = 0; m < sizeof MATERIALS / sizeof MATERIALS[0]; m++) {
        if (speaks_of(letters, MATERIALS[m].word)) {
            return MATERIALS[m].material;
        }
    }
    const char *known = pw_material_canonical(text);
    return known != NULL ? known : pw_material_meant(text);
}

/* A colour as a name: "#rrggbb" that is dark and grey is what walls are drawn in. */
static bool is_dark(const struct drawing_class *class)
{
    const int dark = 110, grey = 40;
    int low = 255, high = 0;
    for (int c = 0; c < 3; c++) {
        low = class->colour[c] < low ? class->colour[c] : low;
        high = class->colour[c] > high ? class->colour[c] : high;
    }
    return high <= dark && high - low <= grey;
}

/* The use that the words of a name speak of. */
static enum class_use use_spoken_of(const struct drawing_class *class, const char *letters)
{
    bool colour = class->name[0] == '#';
    if (colour) {
        return is_dark(class) ? CLASS_WALLS : CLASS_OPEN;
    }
    if (speaks_of_any(letters, WALLS)) {
        return CLASS_WALLS;
    }
    if (speaks_of_any(letters, WINDOWS)) {
        return CLASS_WALLS;
    }
    if (speaks_of_any(letters, DOORS)) {
        return class->areas > 0 && class->lines == 0 ? CLASS_OPENINGS : CLASS_IGNORED;
    }
    return speaks_of_any(letters, IGNORED) ? CLASS_IGNORED : CLASS_OPEN;
}

/* Whether a class is of windows, and not of walls with windows. */
static bool is_window(const char *letters)
{
    return speaks_of_any(letters, WINDOWS) && !speaks_of_any(letters, WALLS);
}

/* The thickness of lines that have none. */
static double usual_thickness(const struct class_guess *guess, const char *letters)
{
    const double wall = 0.12, leaf = 0.04, pane = 0.01; /* m */
    if (is_window(letters)) {
        return pane;
    }
    return guess->use != CLASS_OPENINGS ? wall : guess->material != NULL ? leaf : 0;
}

/* Material and thickness of what is a wall, or lies in one. An opening of which nothing is known is a hole. */
static void fabric_guess(const struct drawing_class *class, const char *wall, bool lines_have_width,
                         const char *letters, struct class_guess *guess)
{
    const char *said = pw_material_canonical(class->material);
    said = said == NULL && class->material[0] != '\0' ? material_spoken_of(class->material) : said;
    said = said != NULL ? said : class->name[0] != '#' ? material_spoken_of(class->name) : NULL;
    guess->material = said != NULL ? said : guess->use == CLASS_OPENINGS ? NULL : wall;
    guess->material_guessed = said == NULL && guess->material != NULL;
    bool wants = class->lines > 0 || guess->use == CLASS_OUTLINES;
    guess->thickness = lines_have_width ? 0 : class->thickness;
    if (wants && !(class->thickness > 0) && !lines_have_width) {
        guess->thickness = usual_thickness(guess, letters);
        guess->thickness_guessed = guess->thickness > 0;
    }
}

void class_guess(const struct drawing_class *class, const char *wall, bool lines_have_width, struct class_guess *guess)
{
    char letters[TEXT_SIZE];
    letters_of(class->name, letters);
    bool said = class->use != CLASS_OPEN;
    *guess = (struct class_guess){.use = said ? class->use : use_spoken_of(class, letters)};
    if (guess->use != CLASS_OPEN && guess->use != CLASS_IGNORED) {
        fabric_guess(class, wall, lines_have_width, letters, guess);
    }
    snprintf(guess->reason, sizeof guess->reason, "%s",
             said                       ? "as the file says"
             : guess->use == CLASS_OPEN ? "not understood"
             : class->name[0] == '#'    ? "guessed from the colour"
                                        : "guessed from the name");
}
