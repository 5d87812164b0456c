/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_BASE_BAN_H
#define PROV_BASE_BAN_H
/*
 * Functions that cannot be used safely. Include this last; using one of them
 * then fails to compile and the message names the replacement.
 */
#undef strcpy
#undef strcat
#undef sprintf
#undef strtok
#undef gmtime
#define strcpy(...) use_buf_append_instead_of_strcpy
#define strcat(...) use_buf_append_instead_of_strcat
#define sprintf(...) use_buf_printf_instead_of_sprintf
#define strtok(...) use_strsep_instead_of_strtok
#define gmtime(...) use_gmtime_r_instead_of_gmtime
#endif
