/** Mistakes in arguments or configuration, one line each for a person; the process ends with exit code 2. */
export class UsageError extends Error {
  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
    this.name = 'UsageError';
  }
}
