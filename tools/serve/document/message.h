/* What a page may ask of the server: one JSON object a message, checked key by key before anything is done with it. */
#pragma once

#include "tools/ground.h"

/* Bytes of a message; messages that one client may send in a second. */
enum { MESSAGE_BYTES = 16 << 10, MESSAGES_PER_SECOND = 120 };

enum message_kind {
    MESSAGE_MOVE,
    MESSAGE_ADD,
    MESSAGE_REMOVE,
    MESSAGE_WALL,
    MESSAGE_ERASE,
    MESSAGE_PAINT,
    MESSAGE_OPENING,
    MESSAGE_SCALE,
    MESSAGE_MATERIAL,
    MESSAGE_POWER,
    MESSAGE_TUNE,
    MESSAGE_RENAME,
    MESSAGE_BAND,
    MESSAGE_UNDO,
    MESSAGE_REDO,
    MESSAGE_PIECE,
    MESSAGE_VIEW,
    MESSAGE_CHANNEL,
    MESSAGE_MIMO,
    MESSAGE_WAVE,
    MESSAGE_SAVE,
    MESSAGE_REPORT,
    MESSAGE_SENSITIVITY,
    MESSAGE_STOP,
    MESSAGE_KIND_COUNT
};

enum { FILE_NAME_SIZE = 128, THICKEST_WALL = 10 /* m */, RECEIVER_ANTENNAS_MOST = 16 };
static const double THINNEST_WALL = 1e-4 /* m */;

struct place {
    double x, y; /* m, from the plan's lower left corner */
};

struct message {
    enum message_kind kind;
    int id;                                      /* -1: none */
    char transmitter[PW_NAME_SIZE];              /* "": none was named */
    char name[PW_NAME_SIZE], like[PW_NAME_SIZE]; /* of a new transmitter, or of a material */
    char material[PW_NAME_SIZE];                 /* of a wall */
    char file[FILE_NAME_SIZE];                   /* of a scenario to save */
    struct place at, from, to;                   /* m */
    double thickness, breadth, length, near;     /* m: breadth of an opening, length between two points */
    double relative_permittivity, conductivity;
    double power;           /* dBm, EIRP */
    double number;          /* of a channel of Wi-Fi; 0: none */
    double centre, width;   /* Hz; width NAN: as it is */
    double antennas;        /* of a receiver */
    double snr;             /* dB; NAN: by the powers and the noise */
    double speed;           /* ns of the wave per second */
    int quantity;           /* pw_quantity; -1: as it is */
    int local_mean, paused; /* 0, 1; -1: as it is */
    bool drag, on, overwrite;
};

/* Reads `length` bytes. PW_BAD_INPUT says what is wrong and what is allowed; message->id is then still that of the
 * message, if it could be read. */
pw_status message_parse(const char *text, size_t length, struct message *message, pw_error *error);

/* "received-power": the word of a quantity, as `planwave map --quantity` has it; NULL for one that is not there. */
const char *quantity_word(int quantity);
