export interface Fault {
  /** The requirement it breaks: `WQ-6`. */
  id: string;
  /** The source file, from the root of the repository. */
  file: string;
  /** Text that stands in the file exactly once. */
  find: string;
  /** What stands there instead: code that runs, and is wrong. */
  replace: string;
  /**
   * Which test files to run, by a part of their path. Default: every test file that has, or is
   * given by a contract suite, a title with the ID.
   */
  tests?: string | undefined;
}
