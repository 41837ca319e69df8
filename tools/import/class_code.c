/* Codes of layers (class_code.h). Numbers of elements are those of CI/SfB, table 1, which ISO 13567 and BS 1192 part 5
 * are used with: 21 outer walls, 22 inner walls, 28 frames and columns, 31 and 32 what completes openings in them, of
 * which 314 and 324 are windows, 315 and 325 doors. */
#include "import/class_code.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

struct element_code {
    const char *code; /* the beginning of it */
    enum word_meaning meaning;
    const char *material;
};

/* The longest first. */
static const struct element_code CI_SFB[] = {
    {"214", WORD_WALL, "glass"}, {"314", WORD_WINDOW, "glass"}, {"324", WORD_WINDOW, "glass"},
    {"315", WORD_DOOR, "wood"},  {"325", WORD_DOOR, "wood"},    {"21", WORD_WALL, NULL},
    {"22", WORD_WALL, NULL},     {"28", WORD_WALL, NULL},       {"31", WORD_WINDOW, "glass"},
    {"32", WORD_DOOR, "wood"},   {"1", WORD_PLACE, NULL},       {"2", WORD_PLACE, NULL},
    {"3", WORD_PLACE, NULL},     {"4", WORD_THING, NULL},       {"5", WORD_THING, NULL},
    {"6", WORD_THING, NULL},     {"7", WORD_THING, NULL},       {"8", WORD_THING, NULL},
    {"9", WORD_THING, NULL},     {NULL, WORD_NOTHING, NULL},
};
static const struct element_code UNICLASS_1[] = {
    {"G25", WORD_WALL, NULL}, {"G26", WORD_WALL, NULL}, {"G32", WORD_OPENING, NULL},
    {"G2", WORD_PLACE, NULL}, {"G3", WORD_PLACE, NULL}, {"G4", WORD_THING, NULL},
    {"G5", WORD_THING, NULL}, {"G6", WORD_THING, NULL}, {NULL, WORD_NOTHING, NULL},
};
static const struct element_code UNICLASS_2015[] = {
    {"25_30_20", WORD_DOOR, "wood"},    {"25_30_25", WORD_DOOR, "wood"}, {"25_30", WORD_WINDOW, "glass"},
    {"30_59_98", WORD_WINDOW, "glass"}, {"30_59_24", WORD_DOOR, "wood"}, {"25_1", WORD_WALL, NULL},
    {"20_30_75", WORD_WALL, NULL},      {NULL, WORD_NOTHING, NULL},
};

static const struct element_code *code_find(const struct element_code *codes, const char *text)
{
    for (; codes->code != NULL; codes++) {
        if (strncmp(text, codes->code, strlen(codes->code)) == 0) {
            return codes;
        }
    }
    return NULL;
}

/* Whether a letter says that a layer is of texts, dimensions, grids, or marks. */
static bool is_explaining(char letter)
{
    return letter != '\0' && strchr("TDJKB", letter) != NULL;
}

static void sense_take(const struct element_code *code, char presentation, bool open, struct name_sense *sense)
{
    sense->hatched = sense->hatched || presentation == 'H';
    if (is_explaining(presentation)) {
        *sense = (struct name_sense){.meaning = WORD_THING};
    } else if (open && code != NULL) {
        sense->meaning = code->meaning;
        sense->material = code->material;
    }
}

/* "A-21----E-": ten characters or more, of which the first is a letter, and of six an element padded with '-'. */
static bool iso_read(const char *name, bool open, struct name_sense *sense)
{
    size_t length = strlen(name);
    if (length < 10 || !isupper((unsigned char)name[0]) || !(name[1] == '-' || isdigit((unsigned char)name[1]) != 0)) {
        return false;
    }
    const char *element = name + 2 + (isupper((unsigned char)name[2]) != 0);
    size_t digits = strspn(element, "0123456789"), rest = (size_t)(name + 8 - element);
    bool padded = digits >= 2 && digits <= rest && strspn(element + digits, "-") >= rest - digits;
    if (!padded || !(name[8] == '-' || isupper((unsigned char)name[8]) != 0) ||
        !(name[9] == '-' || isalnum((unsigned char)name[9]) != 0)) {
        return false;
    }
    sense_take(code_find(CI_SFB, element), name[8], open, sense);
    if (length > 10 && name[10] == 'R') { /* the status: to be removed */
        *sense = (struct name_sense){.meaning = WORD_THING};
    }
    return true;
}

/* "A-WALL-FULL-D": a discipline, groups of four letters, and as status D (to be demolished) or X (abandoned). */
static bool aia_read(const char *name, struct name_sense *sense)
{
    const char *at = name + strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    int groups = 0;
    for (; *at == '-' && strcspn(at + 1, "-") == 4; at += 5) {
        groups++;
    }
    const bool gone = at > name && groups > 0 && (strcmp(at, "-D") == 0 || strcmp(at, "-X") == 0);
    if (gone) {
        *sense = (struct name_sense){.meaning = WORD_THING};
    }
    return gone;
}

/* "A-210-T", "A210G701", "A-G25-M_Walls": a role and behind it at once or after '-' a number of three digits, or 'G'
 * and two; then the presentation. */
static bool role_read(const char *name, bool open, struct name_sense *sense)
{
    const char *code = name + 1 + (name[0] != '\0' && name[1] == '-');
    if (!isupper((unsigned char)name[0])) {
        return false;
    }
    bool uniclass = code[0] == 'G' && isdigit((unsigned char)code[1]) != 0;
    size_t digits = strspn(code + uniclass, "0123456789");
    if (uniclass ? digits < 2 : digits != 3) {
        return false;
    }
    const char *behind = code + uniclass + digits;
    const struct element_code *found = code_find(uniclass ? UNICLASS_1 : CI_SFB, code);
    if (*behind != '\0' && *behind != '-' && *behind != '_' && !isupper((unsigned char)*behind)) {
        return false;
    }
    behind += strspn(behind, "-");
    bool presentation = isupper((unsigned char)behind[0]) != 0 && isalpha((unsigned char)behind[1]) == 0;
    sense_take(found, (char)(presentation ? behind[0] : '\0'), open, sense);
    return true;
}

void class_code_read(const char *name, bool open, struct name_sense *sense)
{
    static const char *const TABLES[] = {"EF_", "Ee_", "Ss_", "Pr_", "SL_"};
    for (size_t t = 0; t < sizeof TABLES / sizeof TABLES[0]; t++) {
        const char *at = strstr(name, TABLES[t]);
        if (at != NULL && isdigit((unsigned char)at[3]) != 0) {
            const char *behind = at + 3 + strspn(at + 3, "0123456789_");
            sense_take(code_find(UNICLASS_2015, at + 3), (char)(*behind == '-' ? behind[1] : '\0'), open, sense);
            return;
        }
    }
    if (!aia_read(name, sense) && !iso_read(name, open, sense)) {
        (void)role_read(name, open, sense);
    }
}
