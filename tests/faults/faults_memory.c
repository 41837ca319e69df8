/* Memory that runs out: the allocating functions of the C library, and an account of what they gave out. */
#include "tests/faults/faults.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fault_plan memory_faults;
static bool counting;

enum { LIVE_LIMIT = 1 << 16 };
static void *live[LIVE_LIMIT];
static size_t live_count;

void memory_count(bool on)
{
    live_count = on ? 0 : live_count;
    counting = on;
}

size_t memory_left(void)
{
    return live_count;
}

void *memory_remember(void *pointer)
{
    if (counting && pointer != NULL && live_count < LIVE_LIMIT) {
        live[live_count++] = pointer;
    }
    return pointer;
}

void memory_forget(const void *pointer)
{
    for (size_t n = live_count; counting && n-- > 0;) {
        if (live[n] == pointer) {
            live[n] = live[--live_count];
            return;
        }
    }
}

static bool no_memory(void)
{
    if (fault_is_due(&memory_faults)) {
        errno = ENOMEM;
        return true;
    }
    return false;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    return no_memory() ? NULL : memory_remember(__real_malloc(size));
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    return no_memory() ? NULL : memory_remember(__real_calloc(count, size));
}

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size)
{
    if (no_memory()) {
        return NULL;
    }
    memory_forget(old);
    return memory_remember(__real_realloc(old, size));
}

void __real_free(void *pointer);
void __wrap_free(void *pointer);
void __wrap_free(void *pointer)
{
    memory_forget(pointer);
    __real_free(pointer);
}

int __real_posix_memalign(void **pointer, size_t alignment, size_t size);
int __wrap_posix_memalign(void **pointer, size_t alignment, size_t size);
int __wrap_posix_memalign(void **pointer, size_t alignment, size_t size)
{
    if (no_memory()) {
        return ENOMEM;
    }
    int failure = __real_posix_memalign(pointer, alignment, size);
    if (failure == 0) {
        memory_remember(*pointer);
    }
    return failure;
}

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
    return no_memory() ? NULL : memory_remember(__real_strdup(text));
}

char *__real_strndup(const char *text, size_t size);
char *__wrap_strndup(const char *text, size_t size);
char *__wrap_strndup(const char *text, size_t size)
{
    return no_memory() ? NULL : memory_remember(__real_strndup(text, size));
}

__attribute__((format(printf, 2, 3))) int __wrap_asprintf(char **text, const char *format, ...);
int __wrap_asprintf(char **text, const char *format, ...)
{
    if (no_memory()) {
        return -1;
    }
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(text, format, arguments);
    va_end(arguments);
    memory_remember(length >= 0 ? *text : NULL);
    return length;
}

FILE *__real_open_memstream(char **text, size_t *size);
FILE *__wrap_open_memstream(char **text, size_t *size);
FILE *__wrap_open_memstream(char **text, size_t *size)
{
    return no_memory() ? NULL : __real_open_memstream(text, size);
}
