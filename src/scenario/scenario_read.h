/* Reading single values out of the tree of a scenario: each checks kind, unit and range, and names the place when it
 * fails. Absent keys leave the value, the default, as it is. Used by the
 * scenario room, and by rooms that read YAML of their own. */
#pragma once

#include <locale.h>

#include "api/document.h"
#include "base/units.h"
#include "scenario/scenario.h"
#include "scenario/scenario_tree.h"

/* Fails unless `map` is a map whose keys are all among `allowed` (NULL terminated); names the nearest one ("did you
 * mean"). */
pw_status read_map(const struct node *map, const char *const *allowed, pw_error *error);

/* Among words (NULL terminated) the one that was probably meant, or NULL. */
const char *word_nearest(const char *word, const char *const *allowed);

/* Fails unless the node is a single value; `what` says what it should be, as in "a number". */
pw_status node_scalar(const struct node *node, const char *what, pw_error *error);

/* The value of a key that must be there; `why` says what it is for. */
pw_status read_required(const struct node *map, const char *key, const char *why, const struct node **node,
                        pw_error *error);

pw_status read_quantity(const struct node *map, const char *key, pw_dimension dimension, pw_range range, double *value,
                        pw_error *error);
/* An angle with its unit, as in 30 deg, from -`most` to `most` [rad]. */
pw_status read_angle(const struct node *map, const char *key, double most, double *angle, pw_error *error);
pw_status read_integer(const struct node *map, const char *key, pw_dimension dimension, int64_t low, int64_t high,
                       int64_t *value, pw_error *error);
/* The same two for what may be left open: the word auto, like an absent key, leaves *value as it is. */
pw_status read_open_quantity(const struct node *map, const char *key, pw_dimension dimension, pw_range range,
                             double *value, pw_error *error);
pw_status read_open_integer(const struct node *map, const char *key, pw_dimension dimension, const int64_t range[2],
                            int64_t *value, pw_error *error);
/* Position of the value among `names` (NULL terminated). */
pw_status read_choice(const struct node *map, const char *key, const char *const *names, int *index, pw_error *error);
/* on, off, true, false, yes, no */
pw_status read_switch(const struct node *map, const char *key, bool *value, pw_error *error);
/* A copy; the caller owns it. */
pw_status read_text(const struct node *map, const char *key, size_t limit, char **text, pw_error *error);
/* A name of the user's (name_is_good). */
pw_status read_name(const struct node *map, const char *key, char name[NAME_SIZE], pw_error *error);
/* The same of a transmitter or a receiver (name_reserved). */
pw_status read_station_name(const struct node *map, char name[NAME_SIZE], pw_error *error);
/* "[x, y]" in metres, of a node itself. */
pw_status node_point(const struct node *node, struct point *point, pw_error *error);
pw_status read_point(const struct node *map, const char *key, struct point *point, pw_error *error);
/* "[x, y]" or "[x, y, z]"; *height stays as it is without z. */
pw_status read_place(const struct node *map, const char *key, struct point *point, double *height, pw_error *error);
/* One number of a list. */
pw_status node_quantity(const struct node *node, pw_dimension dimension, pw_range range, double *value,
                        pw_error *error);
/* True for a quantity that is written without a unit, such as 2.4. */
bool node_is_bare(const struct node *node);
/* True for a plain word, as in `spectra: off`. */
bool node_is_word(const struct node *node, const char *word);
/* A list; an absent or empty value is a list of nothing. NULL in *list then. */
pw_status read_list(const struct node *map, const char *key, int limit, const struct node **list, pw_error *error);

/* ---- parts of the scenario room, each in a file of its own ---- */

enum { PATH_LENGTH_LIMIT = PW_PATH_LIMIT };
extern const pw_range FREQUENCIES; /* Hz: of bands and waveforms; scenario_grid.c */

/* scenario_grid.c: the maps `band` and `grid`, the grid after the band; and `accuracy`. */
pw_status band_read(const struct node *root, struct scenario *scenario, pw_error *error);
pw_status grid_read(const struct node *root, struct scenario *scenario, pw_error *error);
pw_status accuracy_read(const struct node *root, struct accuracy_choice *accuracy, pw_error *error);

/* scenario_terminals.c: the list `transmitters`, after the band; scenario_receivers.c: the list `receivers`, after the
 * spectra. Relative paths are taken from `folder` (NULL: as they are). */
pw_status transmitters_read(const struct node *root, const char *folder, struct scenario *scenario, pw_error *error);
pw_status receivers_read(const struct node *root, const char *folder, struct scenario *scenario, pw_error *error);
void receivers_release(struct scenario *scenario);
/* The word of a scenario for what is kept. */
const char *receiver_record_name(enum receiver_record record);

/* wifi_channel.c: `channel` of a transmitter, after the band; and whether a channel's band can be that of the scenario,
 * whose middle is `centre` [Hz]. */
pw_status channel_read(const struct node *map, const struct scenario *scenario, pw_wifi_channel *channel,
                       pw_error *error);
bool channel_suits(const pw_wifi_channel *channel, double centre);

/* scenario_spectra.c: `spectra` with `warp`, after the plan, and `stop`. */
pw_status spectra_read(const struct node *root, struct scenario *scenario, pw_error *error);
pw_status stop_read(const struct node *root, struct stop_choice *stop, pw_error *error);

/* scenario_material.c: a material, a name of the table or a map of own values. */
pw_status node_material(const struct node *node, struct material_choice *material, pw_error *error);
/* The same of something that has faces, so that the material may have a coating. */
pw_status node_coated_material(const struct node *node, struct material_choice *material, pw_error *error);
static const pw_range SHEET_RESISTANCES = {1e-3, 1e6, false, false}; /* ohm per square */
/* The name that a material of own values has when the user gives none. */
void material_describe(const struct material_choice *material, char name[NAME_SIZE]);
/* scenario_fit.c: materials that are known over the band become poles, after plan and band. */
pw_status materials_fit(struct scenario *scenario, const char *folder, pw_error *error);
/* The word of a scenario for a kind of pole, "conductivity" after the last one. */
const char *pole_kind_name(int kind);

/* scenario_plan.c: the map `plan`. Relative paths are taken from `folder` (NULL: as they are). */
pw_status plan_read(const struct node *map, const char *folder, struct plan_choice *plan, pw_error *error);
void plan_release(struct plan_choice *plan);
/* scenario_coating.c: `coating` of a shape, or of its material, and `layers` of a wall become shapes of their own.
 * `map` is NULL for what a drawing gave. At most shape_room() shapes come of one. */
int shape_room(const struct node *map);
bool has_layers(const struct node *map);
/* Sets the thickness of a wall of layers, where it is not given. */
pw_status layers_thickness(const struct node *map, struct shape *shape, pw_error *error);
/* The shape is the last of the plan's, and is followed, or replaced, by what it is made of. */
pw_status shape_expand(const struct node *map, struct plan_choice *plan, pw_error *error);
/* The key of the list of shapes of this kind. */
const char *shape_list_key(enum shape_kind kind);

/* scenario_clutter.c: `clutter` of a plan, after its storeys. */
pw_status clutter_read(const struct node *plan_map, struct plan_choice *plan, pw_error *error);
void clutter_release(struct plan_choice *plan);

/* scenario_storeys.c: `storey` or `storeys` of a plan, but for their lists of shapes, which plan_read reads; and after
 * them `cut`. */
pw_status storeys_read(const struct node *plan_map, struct plan_choice *plan, pw_error *error);
pw_status cut_read(const struct node *plan_map, struct plan_choice *plan, pw_error *error);
/* `over`, after the shapes: what it is not given it has of their tops. */
pw_status over_read(const struct node *plan_map, struct plan_choice *plan, pw_error *error);
/* The map of a storey. */
const struct node *storey_node(const struct node *plan_map, int storey);
/* The value of the key `storey`, a name; EVERY_STOREY where it is not given. */
pw_status read_storey(const struct node *map, const struct plan_choice *plan, int *storey, pw_error *error);

/* scenario_heights.c: heights of what is drawn and of terminals, and directions. `storey` as in struct shape: heights
 * count from its floor and must lie within it, its slabs included. */
pw_status heights_read(const struct node *map, const struct plan_choice *plan, int storey, struct height_range *range,
                       pw_error *error);
pw_status height_check(const struct node *node, const struct plan_choice *plan, int storey, double height,
                       pw_error *error);
/* Refuses heights in a plan without storeys. */
pw_status heights_need_storeys(const struct node *map, const struct plan_choice *plan, pw_error *error);
/* The keys `height` and `storey` of a transmitter or receiver. `height` and `to_height` hold what its places gave, NAN
 * for nothing, and then m over the lowest floor. */
pw_status terminal_height_read(const struct node *map, const struct plan_choice *plan, double *height,
                               double *to_height, pw_error *error);
/* `polarisation` of a transmitter or receiver; in two dimensions there is but the vertical one, or with horizontal
 * polarisation x, y, a direction, and a loop. */
pw_status polarisation_read(const struct node *map, const struct scenario *scenario, struct direction *direction,
                            pw_error *error);

/* The whole file, at most 4 MiB; `what` it is, for messages: "scenario". The caller owns *text. */
pw_status yaml_file_read(const char *path, const char *what, char **text, size_t *length, pw_error *error);

/* `path` behind `folder`, unless it is absolute or there is none; replaces *path, which is owned. */
pw_status path_resolve(const char *folder, char **path, pw_error *error);
