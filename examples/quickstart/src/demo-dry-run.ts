import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DryRun } from '@criticizer/core';
import type { ReviewService } from './review-service.js';
import { changeNumber, serverId } from './sample-change.js';

/** Writes what would leave: one body per request as it would be on the wire, and an index a person or a script can read (EGR-3). */
export async function writeDryRun({ criticizer }: Pick<ReviewService, 'criticizer'>, out: string): Promise<DryRun> {
  const run = await criticizer.dryRun({ serverId, number: changeNumber });
  mkdirSync(out, { recursive: true });
  if (run.kind === 'skipped') {
    writeFileSync(join(out, 'dry-run.json'), `${JSON.stringify(run, null, 2)}\n`);
    return run;
  }
  const requests = run.requests.map(({ body, ...about }, i) => {
    const file = `request-${i + 1}.json`;
    writeFileSync(join(out, file), body);
    return { file, ...about };
  });
  writeFileSync(join(out, 'dry-run.json'), `${JSON.stringify({ kind: run.kind, requests, withheldPaths: run.withheldPaths }, null, 2)}\n`);
  return run;
}
