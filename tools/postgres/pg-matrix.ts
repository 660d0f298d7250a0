// `npm run test:pg-matrix`: the PostgreSQL tests on every major version that is supported. One line
// a version, and only for what ran. Arguments after -- go to vitest.
import { fetchedMajors, fetchPostgres } from './fetch-postgres.js';
import { startPostgres } from './postgres.js';
import { countLine, runPostgresTests } from './postgres-tests.js';

/** Undefined binaries are the installed ones. */
const versions: readonly { major: string; binaries(): string | undefined }[] = [
  ...fetchedMajors.map((major) => ({ major, binaries: () => fetchPostgres(major) })),
  { major: '18', binaries: () => undefined },
];

async function testOn(major: string, binaries: string | undefined): Promise<boolean> {
  const server = await startPostgres({ binaries });
  try {
    // Where the installed binaries are missing, a system's server may have started instead.
    if (!server.version.includes(` ${major}.`)) throw new Error(`the server says ${server.version}`);
    const count = await runPostgresTests(server.url, { args: process.argv.slice(2) });
    if (count.failed > 0) console.error(count.output);
    console.log(`${server.version}: ${countLine(count)}`);
    return count.failed === 0;
  } finally {
    await server.stop();
  }
}

let failures = 0;
for (const { major, binaries } of versions) {
  try {
    if (!(await testOn(major, binaries()))) failures++;
  } catch (error) {
    failures++;
    console.log(`PostgreSQL ${major}: did not run: ${error instanceof Error ? error.message : String(error)}`);
  }
}
process.exitCode = failures === 0 ? 0 : 1;
