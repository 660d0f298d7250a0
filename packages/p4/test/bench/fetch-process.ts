// Started by fetch-bench.ts: fetches one large change in a process of its own and prints, as JSON, what it took.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createAllowList, createP4ChangeFetcher } from '../../src/index.js';
import { benchChanges } from './bench-model.js';

export interface FetchMeasurement {
  outcome: string;
  wallMs: number;
  /** Growth of the resident set, at its highest, over what it was before. */
  peakGrowthBytes: number;
  files: number;
  hunks: number;
  /** Files without text. */
  skipped: number;
}

async function measure(executable: string, port: string): Promise<FetchMeasurement> {
  const fetcher = createP4ChangeFetcher({
    serverId: 'bench',
    fingerprintKey: randomBytes(32),
    executable,
    containment: 'accept-none',
    port,
    user: 'reviewer',
    allowList: createAllowList({ allow: ['//depot/main/...'] }),
    securityEvents: { emit: () => undefined },
  });
  const limits = {
    maxFiles: 20_000,
    maxFileBytes: 1_000_000,
    maxTotalBytes: 512 * 1024 * 1024,
    contextLines: 3,
    maxNewTextBytes: 0,
  };
  const fetch = (number: number) => fetcher.fetch(number, { limits, signal: new AbortController().signal });
  await fetch(benchChanges.small);
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  resetPeak();
  const startedAt = performance.now();
  const result = await fetch(benchChanges.edited);
  const wallMs = performance.now() - startedAt;
  const peakGrowthBytes = peakBytes() - before;
  const files = result.kind === 'change' ? result.change.files : [];
  return {
    outcome: result.kind === 'change' ? 'change' : `skipped: ${result.reason} (${result.detail})`,
    wallMs,
    peakGrowthBytes,
    files: files.length,
    hunks: files.reduce((sum, file) => sum + file.hunks.length, 0),
    skipped: files.filter((file) => file.skipped !== null).length,
  };
}

/** Linux keeps the highest resident set since the last reset. */
function resetPeak(): void {
  writeFileSync('/proc/self/clear_refs', '5');
}

function peakBytes(): number {
  const [, kib] = /^VmHWM:\s+([0-9]+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kib) * 1024;
}

const [executable = '', port = ''] = process.argv.slice(2);
measure(executable, port).then(
  (measurement) => console.log(JSON.stringify(measurement)),
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
