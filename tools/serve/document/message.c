/* Reading messages (message.h): a table says which keys each kind of message takes, of what type and in what range. */
#include "serve/document/message.h"
#include "tools/json.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const char *const QUANTITIES[] = {
    [PW_PATH_GAIN] = "path-gain",
    [PW_RECEIVED_POWER] = "received-power",
    [PW_RMS_DELAY_SPREAD] = "rms-delay-spread",
    [PW_MEAN_DELAY] = "mean-delay",
    [PW_K_FACTOR] = "k-factor",
    [PW_BEST_SERVER] = "best-server",
    [PW_SNR] = "snr",
    [PW_SINR] = "sinr",
    [PW_MAXIMUM_DELAY] = "maximum-delay",
    [PW_COHERENCE_50] = "coherence-50",
    [PW_COHERENCE_90] = "coherence-90",
    [PW_PATH_LOSS] = "path-loss",
};
enum { QUANTITY_COUNT = sizeof QUANTITIES / sizeof QUANTITIES[0] };

const char *quantity_word(int quantity)
{
    return quantity >= 0 && quantity < QUANTITY_COUNT ? QUANTITIES[quantity] : NULL;
}

/* What stands at a key. */
enum value_type { VALUE_NUMBER, VALUE_FLAG, VALUE_TRI_STATE, VALUE_NAME, VALUE_FILE, VALUE_POINT, VALUE_QUANTITY };

struct key {
    const char *name; /* NULL ends a list */
    enum value_type type;
    size_t offset; /* of its field in struct message */
    bool needed;
    double least, most; /* of numbers and coordinates */
};

enum { KEY_LIMIT = 6, DEPTH = 2 /* a point in an object */ };
struct message_rule {
    const char *name;
    struct key keys[KEY_LIMIT];
};

#define FIELD(field) offsetof(struct message, field)
/* Coordinates of any plan that can be solved; the plan itself is looked at where the message is carried out. */
#define PLACE_X                                                                                                        \
    {                                                                                                                  \
        "x", VALUE_NUMBER, FIELD(at.x), true, -1e5, 1e5                                                                \
    }
#define PLACE_Y                                                                                                        \
    {                                                                                                                  \
        "y", VALUE_NUMBER, FIELD(at.y), true, -1e5, 1e5                                                                \
    }
#define TRANSMITTER(needed)                                                                                            \
    {                                                                                                                  \
        "transmitter", VALUE_NAME, FIELD(transmitter), needed, 0, 0                                                    \
    }

static const struct message_rule RULES[MESSAGE_KIND_COUNT] = {
    [MESSAGE_MOVE] = {"move", {TRANSMITTER(true), PLACE_X, PLACE_Y, {"drag", VALUE_FLAG, FIELD(drag), false, 0, 0}}},
    [MESSAGE_ADD] = {"add",
                     {PLACE_X,
                      PLACE_Y,
                      {"name", VALUE_NAME, FIELD(name), false, 0, 0},
                      {"like", VALUE_NAME, FIELD(like), false, 0, 0}}},
    [MESSAGE_REMOVE] = {"remove", {TRANSMITTER(true)}},
    [MESSAGE_WALL] = {"wall",
                      {{"from", VALUE_POINT, FIELD(from), true, -1e5, 1e5},
                       {"to", VALUE_POINT, FIELD(to), true, -1e5, 1e5},
                       {"thickness", VALUE_NUMBER, FIELD(thickness), true, THINNEST_WALL, THICKEST_WALL},
                       {"material", VALUE_NAME, FIELD(material), true, 0, 0}}},
    [MESSAGE_ERASE] = {"erase", {PLACE_X, PLACE_Y}},
    [MESSAGE_PAINT] = {"paint", {PLACE_X, PLACE_Y, {"material", VALUE_NAME, FIELD(material), true, 0, 0}}},
    [MESSAGE_OPENING] = {"opening",
                         {PLACE_X,
                          PLACE_Y,
                          {"width", VALUE_NUMBER, FIELD(breadth), true, 0.01, 1000},
                          {"thickness", VALUE_NUMBER, FIELD(thickness), true, THINNEST_WALL, THICKEST_WALL},
                          {"material", VALUE_NAME, FIELD(material), true, 0, 0}}},
    [MESSAGE_SCALE] = {"scale",
                       {{"from", VALUE_POINT, FIELD(from), true, -1e5, 1e5},
                        {"to", VALUE_POINT, FIELD(to), true, -1e5, 1e5},
                        {"length", VALUE_NUMBER, FIELD(length), true, 1e-3, 1e5}}},
    [MESSAGE_MATERIAL] = {"material",
                          {{"name", VALUE_NAME, FIELD(name), true, 0, 0},
                           {"relative_permittivity", VALUE_NUMBER, FIELD(relative_permittivity), true, 1, 1000},
                           {"conductivity", VALUE_NUMBER, FIELD(conductivity), true, 0, 1e7}}},
    [MESSAGE_POWER] = {"power", {TRANSMITTER(true), {"power", VALUE_NUMBER, FIELD(power), true, -100, 100}}},
    [MESSAGE_TUNE] = {"tune",
                      {TRANSMITTER(true),
                       {"number", VALUE_NUMBER, FIELD(number), true, 0, 233},
                       {"width", VALUE_NUMBER, FIELD(width), false, 20e6, 320e6}}},
    [MESSAGE_RENAME] = {"rename", {TRANSMITTER(true), {"name", VALUE_NAME, FIELD(name), true, 0, 0}}},
    [MESSAGE_BAND] = {"band",
                      {{"centre", VALUE_NUMBER, FIELD(centre), true, 1e6, 1e15},
                       {"width", VALUE_NUMBER, FIELD(width), false, 0, 1e15}}},
    [MESSAGE_UNDO] = {"undo", {{0}}},
    [MESSAGE_REDO] = {"redo", {{0}}},
    [MESSAGE_PIECE] = {"piece", {PLACE_X, PLACE_Y, {"near", VALUE_NUMBER, FIELD(near), false, 0, 10}}},
    [MESSAGE_VIEW] = {"view",
                      {{"quantity", VALUE_QUANTITY, FIELD(quantity), false, 0, 0},
                       TRANSMITTER(false),
                       {"local_mean", VALUE_TRI_STATE, FIELD(local_mean), false, 0, 0}}},
    [MESSAGE_CHANNEL] = {"channel", {PLACE_X, PLACE_Y, TRANSMITTER(false)}},
    [MESSAGE_MIMO] = {"mimo",
                      {PLACE_X,
                       PLACE_Y,
                       TRANSMITTER(false),
                       {"antennas", VALUE_NUMBER, FIELD(antennas), false, 1, RECEIVER_ANTENNAS_MOST},
                       {"snr", VALUE_NUMBER, FIELD(snr), false, -100, 200}}},
    [MESSAGE_WAVE] = {"wave",
                      {{"on", VALUE_FLAG, FIELD(on), true, 0, 0},
                       TRANSMITTER(false),
                       {"speed", VALUE_NUMBER, FIELD(speed), false, 0.1, 1000},
                       {"paused", VALUE_TRI_STATE, FIELD(paused), false, 0, 0}}},
    [MESSAGE_SAVE] = {"save",
                      {{"name", VALUE_FILE, FIELD(file), true, 0, 0},
                       {"overwrite", VALUE_FLAG, FIELD(overwrite), false, 0, 0}}},
    [MESSAGE_REPORT] = {"report", {{0}}},
    [MESSAGE_SENSITIVITY] = {"sensitivity", {PLACE_X, PLACE_Y, TRANSMITTER(false)}},
    [MESSAGE_STOP] = {"stop", {{0}}},
};

/* ---- values ------------------------------------------------------------------------------------------------------ */

static pw_status number_read(const struct key *key, const json_t *value, double *number, pw_error *error)
{
    *number = json_number_value(value);
    return json_is_number(value) && isfinite(*number) && *number >= key->least && *number <= key->most
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "'%s' must be a number from %g to %g", key->name, key->least, key->most);
}

static pw_status text_read(const struct key *key, const json_t *value, char *text, size_t size, pw_error *error)
{
    size_t length = json_is_string(value) ? json_string_length(value) : 0;
    FAIL_IF(length == 0 || length >= size || memchr(json_string_value(value), '\0', length) != NULL, error,
            PW_BAD_INPUT, "'%s' must be a text of 1 to %zu bytes", key->name, size - 1);
    memcpy(text, json_string_value(value), length + 1);
    return PW_OK;
}

static pw_status point_read(const struct key *key, const json_t *value, struct place *place, pw_error *error)
{
    FAIL_IF(!json_is_array(value) || json_array_size(value) != 2, error, PW_BAD_INPUT,
            "'%s' must be two numbers [x, y] in metres", key->name);
    TRY(number_read(key, json_array_get(value, 0), &place->x, error));
    return number_read(key, json_array_get(value, 1), &place->y, error);
}

static pw_status flag_read(const struct key *key, const json_t *value, bool *flag, pw_error *error)
{
    *flag = json_is_true(value);
    return json_is_boolean(value) ? PW_OK : fail(error, PW_BAD_INPUT, "'%s' must be true or false", key->name);
}

static pw_status quantity_read(const struct key *key, const json_t *value, int *quantity, pw_error *error)
{
    for (int n = 0; n < QUANTITY_COUNT && json_is_string(value); n++) {
        if (strcmp(json_string_value(value), QUANTITIES[n]) == 0) {
            *quantity = n;
            return PW_OK;
        }
    }
    return fail(error, PW_BAD_INPUT, "'%s' must be one of hello.quantities, such as \"received-power\"", key->name);
}

static pw_status value_read(const struct key *key, const json_t *value, struct message *message, pw_error *error)
{
    void *field = (char *)message + key->offset;
    bool flag = false;
    switch (key->type) {
    case VALUE_NUMBER:
        return number_read(key, value, field, error);
    case VALUE_FLAG:
        return flag_read(key, value, field, error);
    case VALUE_TRI_STATE:
        TRY(flag_read(key, value, &flag, error));
        *(int *)field = flag;
        return PW_OK;
    case VALUE_NAME:
        return text_read(key, value, field, PW_NAME_SIZE, error);
    case VALUE_FILE:
        return text_read(key, value, field, FILE_NAME_SIZE, error);
    case VALUE_POINT:
        return point_read(key, value, field, error);
    case VALUE_QUANTITY:
        break;
    }
    return quantity_read(key, value, field, error);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static const struct key *key_find(const struct message_rule *rule, const char *name)
{
    for (int k = 0; k < KEY_LIMIT && rule->keys[k].name != NULL; k++) {
        if (strcmp(rule->keys[k].name, name) == 0) {
            return &rule->keys[k];
        }
    }
    return NULL;
}

static pw_status keys_read(const struct message_rule *rule, json_t *object, struct message *message, pw_error *error)
{
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        const struct key *key = key_find(rule, name);
        if (key != NULL) {
            TRY(value_read(key, value, message, error));
        } else if (strcmp(name, "type") != 0 && strcmp(name, "id") != 0) {
            return fail(error, PW_BAD_INPUT, "a message '%s' has no key '%.40s'", rule->name, name);
        }
    }
    for (int k = 0; k < KEY_LIMIT && rule->keys[k].name != NULL; k++) {
        FAIL_IF(rule->keys[k].needed && json_object_get(object, rule->keys[k].name) == NULL, error, PW_BAD_INPUT,
                "a message '%s' needs '%s'", rule->name, rule->keys[k].name);
    }
    return PW_OK;
}

static pw_status id_read(const json_t *object, int *id, pw_error *error)
{
    const json_t *value = json_object_get(object, "id");
    json_int_t number = json_integer_value(value);
    FAIL_IF(value != NULL && (!json_is_integer(value) || number < 0 || number > INT32_MAX), error, PW_BAD_INPUT,
            "'id' must be an integer from 0 to %d", INT32_MAX);
    *id = value != NULL ? (int)number : -1;
    return PW_OK;
}

static pw_status object_read(json_t *object, struct message *message, pw_error *error)
{
    FAIL_IF(!json_is_object(object), error, PW_BAD_INPUT, "a message must be a JSON object with a 'type'");
    TRY(id_read(object, &message->id, error));
    const char *type = json_string_value(json_object_get(object, "type"));
    for (int kind = 0; kind < MESSAGE_KIND_COUNT && type != NULL; kind++) {
        if (strcmp(type, RULES[kind].name) == 0) {
            message->kind = (enum message_kind)kind;
            return keys_read(&RULES[kind], object, message, error);
        }
    }
    return fail(error, PW_BAD_INPUT, "'type' is no kind of message: %.40s", type != NULL ? type : "none");
}

pw_status message_parse(const char *text, size_t length, struct message *message, pw_error *error)
{
    json_error_t where;
    *message = (struct message){.id = -1,
                                .centre = NAN,
                                .width = NAN,
                                .speed = NAN,
                                .quantity = -1,
                                .local_mean = -1,
                                .paused = -1,
                                .antennas = 2,
                                .snr = NAN};
    FAIL_IF(length > MESSAGE_BYTES, error, PW_BAD_INPUT, "a message may have %d bytes at most", MESSAGE_BYTES);
    json_t *object = json_read_flat(text, length, DEPTH, JSON_REJECT_DUPLICATES, &where);
    FAIL_IF(object == NULL, error, PW_BAD_INPUT, "this is no JSON: %.100s", where.text);
    pw_status status = object_read(object, message, error);
    json_decref(object);
    return status;
}
