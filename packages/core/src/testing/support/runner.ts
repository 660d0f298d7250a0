/** What a test runner must give: vitest, jest and node:test all fit. Suites assert with node:assert. */
export interface Runner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => void | Promise<void>): unknown;
}
