/* The page of `planwave report` as one text, put together by the assembler from the files of page/ and those of
 * tools/page/, which every page has: head and style, body, scripts. The data go where REPORT_DATA_MARK stands,
 * before the scripts. */

#define PART(name)   ".incbin \"tools/report/page/" name "\"\n"
#define SHARED(name) ".incbin \"tools/page/" name "\"\n"

/* clang-format off */
__asm__(".section .rodata\n"
        ".global report_page\n"
        ".hidden report_page\n"
        "report_page:\n"
        PART("head.html")
        SHARED("look.css")
        PART("style.css")
        PART("body.html")
        SHARED("basics.js")
        SHARED("colours.js")
        SHARED("coverage.js")
        SHARED("view.js")
        SHARED("plot.js")
        SHARED("walls.js")
        PART("data.js")
        PART("shown.js")
        PART("map.js")
        PART("profile.js")
        PART("angles.js")
        PART("deciding.js")
        PART("mimo.js")
        PART("words.js")
        PART("controls.js")
        PART("begin.js")
        PART("tail.html")
        ".byte 0\n"
        ".text\n");
/* clang-format on */
