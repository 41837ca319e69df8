/* The files of the live page (live_page.h), put together by the assembler from page/ and from what pages of planwave
 * share. */
#include "serve/live_page.h"

#include <string.h>

#define PART(name)   ".incbin \"tools/serve/page/" name "\"\n"
#define SHARED(name) ".incbin \"tools/page/" name "\"\n"
#define FILE_BEGIN(name)                                                                                               \
    ".global live_" name "\n"                                                                                          \
    ".hidden live_" name "\n"                                                                                          \
    "live_" name ":\n"

/* clang-format off */
__asm__(".section .rodata\n"
        FILE_BEGIN("page")
        PART("page.html")
        FILE_BEGIN("style")
        SHARED("look.css")
        PART("style.css")
        FILE_BEGIN("script")
        SHARED("basics.js")
        SHARED("colours.js")
        SHARED("coverage.js")
        SHARED("view.js")
        SHARED("plot.js")
        SHARED("walls.js")
        PART("link.js")
        PART("model.js")
        PART("picture.js")
        PART("profile.js")
        PART("mimo.js")
        PART("deciding.js")
        PART("tools.js")
        PART("panel.js")
        PART("begin.js")
        FILE_BEGIN("end")
        ".byte 0\n"
        ".text\n");
/* clang-format on */

extern const char live_page[], live_style[], live_script[], live_end[];

bool page_file_find(const char *name, struct page_file *file)
{
    const struct page_file files[] = {
        {"", "text/html; charset=utf-8", live_page, (size_t)(live_style - live_page)},
        {"style.css", "text/css; charset=utf-8", live_style, (size_t)(live_script - live_style)},
        {"script.js", "text/javascript; charset=utf-8", live_script, (size_t)(live_end - live_script)}};
    for (size_t n = 0; n < sizeof files / sizeof files[0]; n++) {
        if (strcmp(name, files[n].name) == 0) {
            *file = files[n];
            return true;
        }
    }
    return false;
}
