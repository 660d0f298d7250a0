import { readdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DryRun } from '@criticizer/core';
import type { ReviewService } from '../review-service.js';
import { requireFolder } from '../state/demo-folder.js';

const index = 'dry-run.json';

/**
 * Makes the folder and removes what an earlier dry run wrote: nobody takes an old request for a new
 * one. Throws `UsageError`.
 */
export function openDryRunFolder(out: string): void {
  requireFolder(out, '--out');
  for (const name of readdirSync(out))
    if (name === index || /^request-\d+\.json$/.test(name)) unlinkSync(join(out, name));
}

/** For this user alone: the bodies hold code. */
function write(out: string, name: string, text: string | Uint8Array): void {
  rmSync(join(out, name), { force: true });
  writeFileSync(join(out, name), text, { mode: 0o600, flag: 'wx' });
}

/**
 * Writes what would leave: one body per request as it would be on the wire, and an index a person
 * or a script can read (EGR-3).
 */
export async function writeDryRun(
  { criticizer }: ReviewService,
  change: { serverId: string; number: number },
  out: string,
  signal: AbortSignal,
): Promise<DryRun> {
  const run = await criticizer.dryRun({ ...change, signal });
  if (run.kind === 'skipped') {
    write(out, index, `${JSON.stringify(run, null, 2)}\n`);
    return run;
  }
  const requests = run.requests.map(({ body, ...about }, i) => {
    const file = `request-${i + 1}.json`;
    write(out, file, body);
    return { file, ...about };
  });
  const { kind, checksAtMost, followUpsAtMost, checkPaths, withheldPaths } = run;
  write(
    out,
    index,
    `${JSON.stringify({ kind, requests, checksAtMost, followUpsAtMost, checkPaths, withheldPaths }, null, 2)}\n`,
  );
  return run;
}
