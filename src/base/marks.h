/* Confidence of a value and severity of a note; shared by collectors and pages.
 */
#ifndef WL_BASE_MARKS_H
#define WL_BASE_MARKS_H

/* Shown beside the value wherever it appears. */
enum wl_mark {
    WL_MARK_EXACT,     /* follows from the program and its addresses, or was measured */
    WL_MARK_MODELLED,  /* caches, DRAM */
    WL_MARK_PREDICTED, /* time, stalls, machine-instruction counts */
};

enum wl_note_severity { WL_NOTE_INFO, WL_NOTE_WARNING, WL_NOTE_ERROR };

#endif
