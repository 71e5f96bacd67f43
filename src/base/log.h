/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

/*
 * Talk, to stderr. log_level is one of the two mutable globals of the program: 0 is quiet (-q),
 * 1 the default, 2 and more are -v. Only cmd/ and tui/ say things to the user by themselves; the
 * floors below use log_debug only.
 */
extern int log_level;

void log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* "sonde: ...": level >= 1 */
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* level >= 2 */

#endif
