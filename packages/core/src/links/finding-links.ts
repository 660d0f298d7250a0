import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { checkOptions, type OptionCheck, type OptionShape } from '../foundation/check-options.js';
import { checkName, nested, optional, withMethods } from '../foundation/option-checks.js';
import { checkMs } from '../foundation/store-input.js';
import type { SecretSource } from '../secrets/secret-source.js';
import { readSigningKeys, type SigningKeyForm } from '../secrets/signing-keys.js';

/** What a link is about. It holds ids alone, no word of a change or a finding, and no address. */
export interface FindingLink {
  /** The job whose review has the finding. */
  jobId: string;
  findingId: string;
  /** Of the mail that holds the link: `outboxKey`, 32 hex digits. */
  mailKey: string;
  expiresAtMs: number;
}

/** How links are made. */
export interface FindingLinksOptions {
  /** Where `createLinkHandler` answers: an https URL without a query; http for a service of the own house. */
  url: string;
  /** 32 to 64 bytes as Base64, for the signature. While it is rotated links of the version before work on. */
  secret: { source: SecretSource; name: string };
  /** How long a link works, in milliseconds: a minute to a year. Default: 30 days. */
  expiresInMs?: number | undefined;
}

/** What a token turned out to be. */
export type ReadLink = { kind: 'valid' | 'expired'; link: FindingLink } | { kind: 'invalid' };

/** Gives the link of a finding in one mail, which expires so long after `date`. */
export type LinkWriter = (link: Omit<FindingLink, 'expiresAtMs'>, date: Date) => string;

/** Signed links to findings, for mails and chat (GRD-8). */
export interface FindingLinks {
  readonly url: string;
  /** Reads the secret once, for all links of one review. Rejects as the source does. */
  open(options: { signal: AbortSignal }): Promise<LinkWriter>;
  /** Checks signature and age of a token. Rejects as the source does, never for what the token is. */
  read(token: string, options: { nowMs: number; signal: AbortSignal }): Promise<ReadLink>;
}

const [minuteMs, dayMs] = [60_000, 86_400_000];
const keyForm: SigningKeyForm = { what: 'secret of links', bytes: [32, 64], unwrap: (text) => text.trim() };
/** Longer than any token: nothing else is looked at. */
const maxTokenChars = 1_024;

const checkLinkUrl: OptionCheck = (option, value) => {
  const url = typeof value === 'string' && value.length <= 400 && URL.canParse(value) ? new URL(value) : null;
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  if (!isPlain || url.username !== '' || url.password !== '')
    throw new TypeError(`${option}: expected an http or https URL without query, fragment or user`);
};

const optionShape: OptionShape<FindingLinksOptions> = {
  url: checkLinkUrl,
  secret: nested({ source: withMethods('read'), name: checkName }),
  expiresInMs: optional((option, value) => {
    checkMs(option, value, minuteMs);
    if ((value as number) > 365 * dayMs) throw new TypeError(`${option}: expected at most a year, in milliseconds`);
  }),
};

const payload = z.tuple([z.literal(1), z.string(), z.string(), z.string().regex(/^[0-9a-f]{32}$/), z.int()]);

/** The name in front keeps a signature of this key for another purpose from being taken for one of these. */
const sign = (key: Buffer, body: string): Buffer =>
  createHmac('sha256', key).update(`criticizer.finding-link.v1\n${body}`).digest();

function parseBody(body: string): FindingLink | null {
  try {
    const [, jobId, findingId, mailKey, expiresAt] = payload.parse(
      JSON.parse(Buffer.from(body, 'base64url').toString()),
    );
    return { jobId, findingId, mailKey, expiresAtMs: expiresAt * 1_000 };
  } catch {
    return null;
  }
}

/**
 * Links by which whoever has a mail hides one finding on one change. Such a link proves possession,
 * not identity: it does nothing else, and it expires. Throws `TypeError` for wrong options.
 */
export function createFindingLinks(options: FindingLinksOptions): FindingLinks {
  checkOptions('createFindingLinks', options, optionShape);
  const { url, secret, expiresInMs = 30 * dayMs } = options;

  const readKeys = (signal: AbortSignal) => readSigningKeys(secret, keyForm, signal);

  return {
    url,
    async open({ signal }) {
      const [key] = await readKeys(signal);
      return ({ jobId, findingId, mailKey }, date) => {
        const expiresAt = Math.floor((date.getTime() + expiresInMs) / 1_000);
        const body = Buffer.from(JSON.stringify([1, jobId, findingId, mailKey, expiresAt])).toString('base64url');
        const link = new URL(url);
        link.searchParams.set('t', `${body}.${sign(key, body).toString('base64url')}`);
        return link.href;
      };
    },
    async read(token, { nowMs, signal }) {
      const [, body, mac] = token.length <= maxTokenChars ? (/^([\w-]+)\.([\w-]+)$/.exec(token) ?? []) : [];
      if (body === undefined || mac === undefined) return { kind: 'invalid' };
      const given = Buffer.from(mac, 'base64url');
      const fits = (key: Buffer): boolean => {
        const expected = sign(key, body);
        return given.length === expected.length && timingSafeEqual(given, expected);
      };
      const link = (await readKeys(signal)).some(fits) ? parseBody(body) : null;
      if (link === null) return { kind: 'invalid' };
      return { kind: nowMs < link.expiresAtMs ? 'valid' : 'expired', link };
    },
  };
}
