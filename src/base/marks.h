/* How far a value can be trusted, and how grave a note is: for all that measure, and all that show.
 */
#ifndef WL_BASE_MARKS_H
#define WL_BASE_MARKS_H

/* Shown wherever the value is. */
enum wl_mark {
    WL_MARK_EXACT,     /* follows from the program and its addresses, or was measured */
    WL_MARK_MODELLED,  /* caches, DRAM */
    WL_MARK_PREDICTED, /* time, stalls, machine-instruction counts */
};

enum wl_note_severity { WL_NOTE_INFO, WL_NOTE_WARNING, WL_NOTE_ERROR };

#endif
