/** How long a `p4` process may run, in milliseconds. */
export interface P4Timeouts {
  /** Longest run of one metadata command. Default 60 000. */
  commandMs?: number | undefined;
  /** Longest run of the one command that fetches contents. Default 300 000. */
  contentsMs?: number | undefined;
  /** From SIGTERM to SIGKILL of the process group. Default 200; none where the client is contained fully. */
  killGraceMs?: number | undefined;
}
