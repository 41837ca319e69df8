/* The block of 512 bytes in front of a checkpoint: its length and its checksum, which tell a whole file from a damaged
 * one. */
#include "run/job/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { READ_BYTES = 1 << 20 };

void checkpoint_block(uint64_t bytes, uint32_t checksum, char block[CHECKPOINT_BLOCK])
{
    memset(block, 0, CHECKPOINT_BLOCK);
    snprintf(block, CHECKPOINT_BLOCK, "%s\nformat %d\nbytes %llu\ncrc32 %08x\n", CHECKPOINT_MAGIC,
             CHECKPOINT_FORMAT_VERSION, (unsigned long long)bytes, checksum);
}

/* Length of an open file and CRC-32 of everything after the block. */
static pw_status checksum_file(int descriptor, uint64_t *bytes, uint32_t *checksum, pw_error *error)
{
    unsigned char *buffer = allocate(READ_BYTES, 1, "reading a checkpoint", error);
    TRY_MADE(buffer);
    off_t at = CHECKPOINT_BLOCK;
    uLong sum = crc32(0, Z_NULL, 0);
    ssize_t got;
    while ((got = pread(descriptor, buffer, READ_BYTES, at)) > 0 || (got < 0 && errno == EINTR)) {
        if (got > 0) {
            sum = crc32(sum, buffer, (uInt)got);
            at += got;
        }
    }
    free(buffer);
    *bytes = (uint64_t)at;
    *checksum = (uint32_t)sum;
    return got == 0 ? PW_OK : fail(error, PW_BAD_INPUT, "cannot be read: %s", strerror(errno));
}

pw_status checkpoint_seal(const char *path, pw_error *error)
{
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
    FAIL_IF(descriptor < 0, error, PW_NO_RESOURCE, "cannot open: %s", strerror(errno));
    uint64_t bytes = 0;
    uint32_t checksum = 0;
    char block[CHECKPOINT_BLOCK];
    pw_status status = checksum_file(descriptor, &bytes, &checksum, error);
    status = status == PW_BAD_INPUT ? PW_NO_RESOURCE : status; /* this file was written a moment ago */
    checkpoint_block(bytes, checksum, block);
    if (status == PW_OK && pwrite(descriptor, block, sizeof block, 0) != (ssize_t)sizeof block) {
        status = fail(error, PW_NO_RESOURCE, "cannot write: %s", strerror(errno));
    }
    if (close(descriptor) != 0 && status == PW_OK) {
        status = fail(error, PW_NO_RESOURCE, "cannot close: %s", strerror(errno));
    }
    return status;
}

enum checkpoint_verdict checkpoint_seal_check(int descriptor, pw_error *error)
{
    char stated[CHECKPOINT_BLOCK], computed[CHECKPOINT_BLOCK];
    ssize_t got = pread(descriptor, stated, sizeof stated, 0);
    if (got != (ssize_t)sizeof stated || memcmp(stated, CHECKPOINT_MAGIC, sizeof CHECKPOINT_MAGIC - 1) != 0) {
        fail(error, PW_BAD_INPUT, "is not a checkpoint");
        return CHECKPOINT_DAMAGED;
    }
    uint64_t bytes = 0;
    uint32_t checksum = 0;
    pw_status status = checksum_file(descriptor, &bytes, &checksum, error);
    if (status != PW_OK) {
        return status == PW_NO_RESOURCE ? CHECKPOINT_NO_MEMORY : CHECKPOINT_DAMAGED;
    }
    checkpoint_block(bytes, checksum, computed);
    int format = 0;
    stated[sizeof stated - 1] = '\0';
    if (sscanf(stated + sizeof CHECKPOINT_MAGIC - 1, " format %d", &format) == 1 &&
        format != CHECKPOINT_FORMAT_VERSION && format > 0 && format < 1000) {
        fail(error, PW_BAD_INPUT, "is of format %d; this planwave %s knows format %d", format, PW_VERSION,
             CHECKPOINT_FORMAT_VERSION);
        return CHECKPOINT_REFUSED;
    }
    if (memcmp(stated, computed, sizeof computed) != 0) {
        fail(error, PW_BAD_INPUT, "is damaged: its length or its checksum is wrong");
        return CHECKPOINT_DAMAGED;
    }
    return CHECKPOINT_GOOD;
}
