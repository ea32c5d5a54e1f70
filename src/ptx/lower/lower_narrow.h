/* cvt of packed formats and of those that are not register types. */
#ifndef WL_PTX_LOWER_LOWER_NARROW_H
#define WL_PTX_LOWER_LOWER_NARROW_H

#include "ptx/lower/lowering.h"

/* cvt.pack. */
bool lower_cvt_is_pack(const struct wl_ptx_instruction *instruction);
void lower_cvt_pack(struct lowering *lowering, const struct wl_ptx_instruction *instruction);

/* True if lower_cvt_narrow is the one to lower this cvt. */
bool lower_cvt_is_narrow(const struct wl_ptx_instruction *instruction);
void lower_cvt_narrow(struct lowering *lowering, const struct wl_ptx_instruction *instruction);

#endif
