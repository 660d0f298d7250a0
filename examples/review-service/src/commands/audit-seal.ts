// `audit seal-export` and `audit verify`: whether the audit trail is what was sealed.
import { existsSync, readFileSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import {
  type AuditFinding,
  type AuditVerification,
  exportAuditTrail,
  readCheckpoint,
  verifyAuditTrail,
} from '@criticizer/core/audit-delivery';
import { readSeal } from '../config/seal-variables.js';
import { UsageError } from '../config/usage-error.js';
import { type ExitCode, print, type Terminal } from './command-line.js';
import { table, withStores } from './operate.js';

export const sealArguments = {
  'public-key': {
    type: 'string',
    description: 'verify: files of Ed25519 public keys in PEM, during a rotation both.',
    valueHint: 'A,B',
  },
  checkpoint: {
    type: 'string',
    description: 'verify: file of seals kept elsewhere; default AUDIT_SEAL_CHECKPOINT_FILE.',
    valueHint: 'FILE',
  },
} as const;

interface SealArguments {
  subject?: string | undefined;
  'public-key'?: string | undefined;
  checkpoint?: string | undefined;
  json?: boolean | undefined;
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** A new file that nobody else reads. Throws `UsageError` where it cannot be made. */
async function createFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'wx', 0o600);
  } catch (error) {
    throw new UsageError([`FILE: ${file} cannot be made: ${codeOf(error)}`]);
  }
}

/** Writes the whole trail to a new file for `verify-audit-export`. The file holds what the events hold. */
export async function exportSeals(terminal: Terminal, args: SealArguments): Promise<ExitCode> {
  const { subject: file } = args;
  if (file === undefined) throw new UsageError(['FILE: expected the file to write']);
  let last = '';
  async function* lines(trail: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const line of trail) {
      last = line;
      yield line;
    }
  }
  const { signal } = terminal;
  await withStores(terminal, async (stores) => {
    const made = await createFile(file);
    await pipeline(lines(exportAuditTrail(stores)), made.createWriteStream({ flush: true }), { signal }).catch(
      async (error: unknown) => {
        await rm(file, { force: true }); // a part of a trail would look like one that was cut
        throw error;
      },
    );
  });
  const { seals, leaves, unsealed } = JSON.parse(last) as { seals: number; leaves: number; unsealed: number };
  const text = `Wrote ${seals} seals, ${leaves} sealed events and ${unsealed} that no seal holds yet to ${file}.`;
  print(terminal, args, { file, seals, leaves, unsealed }, text);
  return 0;
}

function readPublicKeys(given: string | undefined): string[] {
  const files = (given ?? '').split(',').map((name) => name.trim());
  if (files.includes('')) throw new UsageError(['--public-key: expected a file, or several with commas between']);
  return files.map((file) => {
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      throw new UsageError([`--public-key: ${file} cannot be read: ${codeOf(error)}`]);
    }
  });
}

function describeFinding({ kind, sealSeq, leafIndex, eventId, message }: AuditFinding): string[] {
  const place = [sealSeq === null ? '' : `seal ${sealSeq}`, leafIndex === null ? '' : `leaf ${leafIndex}`];
  return [kind, place.filter((part) => part !== '').join(' ') || '-', eventId ?? '-', message];
}

function describe(report: AuditVerification): string {
  const { isIntact, seals, events, erased, pruned, unsealed, checkpointSeq, findings, findingCount } = report;
  const more = findingCount - findings.length;
  return [
    `${isIntact ? 'intact' : `not intact, ${findingCount} found`}: ${seals} seals over ${events} events, ${erased} erased and ${pruned} pruned of them.`,
    `No seal holds ${unsealed.count} events yet, the oldest for ${Math.round(unsealed.oldestMs / 1_000)} s.`,
    checkpointSeq === null
      ? 'Without a checkpoint nobody sees whether the end was cut off.'
      : `The checkpoint ends at seal ${checkpointSeq}.`,
    ...(findings.length === 0 ? [] : [table(findings.map(describeFinding))]),
    ...(more > 0 ? [`${more} more are not listed.`] : []),
  ].join('\n');
}

/** Verifies every sealed event in the stores. Exit code 3 where nothing was ever sealed. */
export async function verifySeals(terminal: Terminal, args: SealArguments): Promise<ExitCode> {
  const publicKeys = readPublicKeys(args['public-key']);
  const file = args.checkpoint ?? readSeal(terminal.env)?.checkpointFile;
  // A file that is not there would prove nothing, and look as one that agrees.
  if (file !== undefined && !existsSync(file)) throw new UsageError([`--checkpoint: ${file} is not there`]);
  const warn = (line: number): void => terminal.warn(`${file} line ${line} is no seal: a crash may have cut it.\n`);
  const checkpoint = file === undefined ? undefined : readCheckpoint(file, warn);
  const report = await withStores(terminal, (stores) => verifyAuditTrail({ stores, publicKeys, checkpoint }));
  print(terminal, args, report, describe(report));
  if (!report.isIntact) return 1;
  return report.seals === 0 ? 3 : 0;
}
