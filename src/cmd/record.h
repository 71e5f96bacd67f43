/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_RECORD_H
#define CMD_RECORD_H

/*
 * Runs `record` for a command that goes on when it is done: argv as on the command line, argv[0] "record". Returns the
 * status that record would exit with; a signal that ended the recording (Ctrl-C) is in *ret_signal, else 0.
 */
int record_run_words(int argc, char **argv, int *ret_signal);

#endif
