/* Names of layers, types and materials as words: what they mean, and of what material that is. One table holds the
 * words of all languages and layer standards (class_words.c); standards whose names are codes are read by position.
 *
 * "Innenwände", "A-WALL-FULL", "ExtWall2", "PLAN1$0$MUR_PORTEUR", "A22---E-" are walls; "wind_direction" is nothing. */
#pragma once

#include <stdbool.h>

/* What a name means. Of the words in it the first of this order decides. */
enum word_meaning {
    WORD_THING,   /* text, furniture, equipment: never a wall, whatever it is fixed to */
    WORD_WALL,    /* walls, columns, facades */
    WORD_WINDOW,  /* windows */
    WORD_DOOR,    /* doors */
    WORD_OPENING, /* openings of which nothing is known but that something passes */
    WORD_PLACE,   /* rooms, floors, roofs: no walls unless a word says so */
    WORD_NOTHING, /* no word is known */
    WORD_MEANINGS
};

struct name_sense {
    enum word_meaning meaning;
    const char *material; /* of the table of materials; NULL: no word says it */
    bool hatched;         /* a pattern or a filling of what is meant */
};

/* Splits the name into words of lower case ASCII with a blank before and behind each: accents are folded (UTF-8, else
 * Latin-1; the German umlauts to two letters), CamelCase and everything but letters parts words. */
enum { NAME_TEXT_SIZE = 384 };

/* What a name means. Of a layer that an external reference brought along ("PLAN$0$LAYER", "PLAN|LAYER"), the layer. */
struct name_sense name_sense_of(const char *name);
