import { raiseSecurityEvent } from '@criticizer/core/internal';
import {
  type ContextLimits,
  type ContextRefusal,
  type ContextText,
  isCriticizerError,
  type Logger,
  type SecurityEvents,
} from '@criticizer/core/ports';
import { foldAscii } from '../client/depot-path.js';
import type { P4Client } from '../client/p4-client.js';
import { fieldNumber, fieldText } from '../client/p4-output.js';
import { createPageSize } from '../client/server-limits.js';
import { decodeText } from '../fetch/decode-text.js';
import { fetchContents, operandsPerBatch, type RevisionContent } from '../fetch/file-contents.js';
import { parseFileType } from '../fetch/file-type.js';
import { readAboutRevisions } from '../fetch/read-digests.js';
import type { AllowList, CaseHandling } from '../policy/allow-list.js';
import { createContentGate } from '../policy/content-gate.js';

/** A file to be read: as of a change, or one of a shelf. */
export interface WantedText {
  path: string;
  /** `@12` or `@=12`. */
  at: string;
}

export interface ContextTextsOptions {
  client: P4Client;
  allowList: AllowList;
  caseHandling: CaseHandling;
  limits: Pick<ContextLimits, 'maxFiles' | 'maxFileBytes' | 'maxTotalBytes'>;
  legacyEncoding: string | undefined;
  changelistId: string;
  securityEvents: SecurityEvents;
  logger: Logger;
}

/** Reads files of one session within its limits. */
export interface ContextTexts {
  /** Answers in the order of `wanted`. Every path must be allowed already. Call again only once it has ended. */
  read(wanted: readonly WantedText[], signal: AbortSignal): Promise<readonly ContextText[]>;
  /** How many more files the limits let be read. */
  filesLeft(): number;
}

/** What `fstat` says of a file. */
interface FileFacts {
  revision: number | null;
  refusal: ContextRefusal | null;
  bytes: number;
  isUtf16: boolean;
}

const gone: ReadonlySet<string | null> = new Set(['delete', 'move/delete', 'purge', 'archive']);

// long: what one reading does, in order, over the session's budget
/**
 * Two commands for any number of files: `fstat` says type and size, so that no byte of a file that is
 * binary or too long is sent; `print` gives the rest. The allow-list judges each path that either
 * answers with: a file outside it raises a security event and throws `P4_PATH_DENIED`.
 */
export function createContextTexts(options: ContextTextsOptions): ContextTexts {
  const { client, limits } = options;
  let [filesLeft, bytesLeft] = [limits.maxFiles, limits.maxTotalBytes];
  const batchSize = createPageSize(operandsPerBatch);

  const spend = (bytes: number): boolean => {
    if (filesLeft < 1 || bytes > bytesLeft) return false;
    filesLeft -= 1;
    bytesLeft -= bytes;
    return true;
  };

  return {
    filesLeft: () => filesLeft,
    async read(wanted, signal) {
      const gate = createContentGate(options.allowList, options.caseHandling);
      const key = (path: string): string => (options.caseHandling === 'sensitive' ? path : foldAscii(path));
      try {
        const facts = await readFacts(client, wanted, { limits, gate, key, signal });
        const answers = wanted.map(({ path }): ContextText => {
          const { refusal, bytes } = facts.get(key(path)) ?? { refusal: 'absent' as const, bytes: 0 };
          if (refusal !== null) return { kind: 'none', reason: refusal };
          return spend(bytes) ? { kind: 'text', path, revision: null, text: '' } : { kind: 'none', reason: 'budget' };
        });
        const granted = wanted.flatMap((one, at) => (answers[at]?.kind === 'text' ? [{ ...one, place: at }] : []));
        const operands = granted.map(({ path, at }) => {
          const revision = facts.get(key(path))?.revision;
          return at.startsWith('@=') || revision == null ? `${path}${at}` : `${path}#${revision}`;
        });
        let next = 0;
        await fetchContents(client, operands, {
          limits,
          gate,
          signal,
          batchSize,
          onContent(_operand, content) {
            const one = granted[next];
            next += 1;
            if (one !== undefined)
              answers[one.place] = toText(one, facts.get(key(one.path)), content, options.legacyEncoding);
          },
        });
        return answers;
      } catch (error) {
        const refused = gate.refused();
        if (refused !== null && isCriticizerError(error) && error.code === 'P4_PATH_DENIED') report(options, refused);
        throw error;
      }
    },
  };
}

async function readFacts(
  client: P4Client,
  wanted: readonly WantedText[],
  more: {
    limits: ContextTextsOptions['limits'];
    gate: ReturnType<typeof createContentGate>;
    key(path: string): string;
    signal: AbortSignal;
  },
): Promise<ReadonlyMap<string, FileFacts>> {
  const operands = wanted.map(({ path, at }) => `${path}${at}`);
  const facts = new Map<string, FileFacts>();
  for (const fields of await readAboutRevisions(client, { name: 'fstat', flags: ['-Ol'], operands }, more.signal)) {
    const path = fieldText(fields, 'depotFile') ?? '';
    more.gate.admit(path);
    const bytes = fieldNumber(fields, 'fileSize') ?? 0;
    const { content } = parseFileType(fieldText(fields, 'headType') ?? '');
    const refusal = gone.has(fieldText(fields, 'headAction'))
      ? 'absent'
      : content === 'binary' || content === 'symlink'
        ? 'binary'
        : bytes > more.limits.maxFileBytes
          ? 'oversize'
          : null;
    const revision = fieldNumber(fields, 'headRev');
    facts.set(more.key(path), { revision, refusal, bytes, isUtf16: content === 'utf16' });
  }
  return facts;
}

function toText(
  { path, at }: WantedText,
  facts: FileFacts | undefined,
  content: RevisionContent,
  legacyEncoding: string | undefined,
): ContextText {
  if (content.kind === 'oversize' || content.kind === 'budget') return { kind: 'none', reason: content.kind };
  if (content.kind !== 'content') return { kind: 'none', reason: 'unavailable' };
  const decoded = decodeText(content.bytes, { utf16: facts?.isUtf16 === true, legacyEncoding });
  if (decoded.kind === 'binary') return { kind: 'none', reason: 'binary' };
  if (decoded.kind === 'undecodable') return { kind: 'none', reason: 'unavailable' };
  const revision = at.startsWith('@=') ? null : (facts?.revision ?? null);
  return { kind: 'text', path, revision, text: decoded.text };
}

/** Reports a file that the server sent although the list denies it. */
export function report(
  { securityEvents, logger, changelistId }: Pick<ContextTextsOptions, 'securityEvents' | 'logger' | 'changelistId'>,
  details: { path: string; why: string },
): void {
  const reason = 'The Perforce server began to send a file outside the allow-list.';
  raiseSecurityEvent(securityEvents, { type: 'depot_path.denied', reason, details, changelistId }, logger);
}
