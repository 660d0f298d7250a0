// The PostgreSQL of a test run: a project whose tests need one names this file in its
// test/global-setup.ts. The first one starts the server, the others share it, the last one stops
// it. Whoever sets DATABASE_URL gives his own.
import type { TestProject } from 'vitest/node';
import { startPostgres, type TestPostgres } from './postgres.js';

declare module 'vitest' {
  interface ProvidedContext {
    databaseUrl: string;
  }
}

interface Shared {
  server: Promise<TestPostgres>;
  projects: number;
}

/** Each project loads this file anew; the process is what they have in common. */
const shared = globalThis as { [key: symbol]: Shared | undefined };
const slot = Symbol.for('criticizer.test-postgres');

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env['DATABASE_URL'];
  if (given) {
    project.provide('databaseUrl', given);
    return undefined;
  }
  const running = shared[slot] ?? { server: startPostgres(), projects: 0 };
  shared[slot] = running;
  running.projects += 1;
  project.provide('databaseUrl', (await running.server).url);
  return async () => {
    running.projects -= 1;
    if (running.projects > 0) return;
    shared[slot] = undefined;
    await (await running.server).stop();
  };
}
