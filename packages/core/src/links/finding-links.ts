import { z } from 'zod';
import { checkOptions, type OptionCheck, type OptionShape } from '../foundation/check-options.js';
import { checkName, nested, optional, withMethods } from '../foundation/option-checks.js';
import { checkMs } from '../foundation/store-input.js';
import type { SecretSource } from '../secrets/secret-source.js';
import { readSigningKeys, type SigningKeyForm } from '../secrets/signing-keys.js';
import { openToken, sealToken } from './link-tokens.js';

/** What a link is about. It holds ids alone, no word of a change or a finding, and no address. */
export interface FindingLink {
  /** The job whose review has the finding. */
  jobId: string;
  findingId: string;
  /** Of the mail that holds the link: `outboxKey`, 32 hex digits. */
  mailKey: string;
  expiresAtMs: number;
}

/** By which a recipient stops the mails: the one mail that holds the link, and nothing of the person. */
export interface MailLink {
  /** `outboxKey`, 32 hex digits. */
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

/** As `ReadLink`, of a link that stops the mails. */
export type ReadMailLink = { kind: 'valid' | 'expired'; link: MailLink } | { kind: 'invalid' };

/** Gives the link by which the recipient of one mail stops them all; it works for a year from `date` on. */
export type MailLinkWriter = (mailKey: string, date: Date) => string;

/** Gives the link of a finding in one mail, which expires so long after `date`. */
export type LinkWriter = (link: Omit<FindingLink, 'expiresAtMs'>, date: Date) => string;

/** Signed links of mails and chat: to findings (GRD-8), and to stop the mails. */
export interface FindingLinks {
  readonly url: string;
  /** Reads the secret once, for all links of one review. Rejects as the source does. */
  open(options: { signal: AbortSignal }): Promise<LinkWriter>;
  /** As `open`, for the links that stop mails. */
  openForMail(options: { signal: AbortSignal }): Promise<MailLinkWriter>;
  /** As `read`, of a link that stops mails: neither reads the other's. */
  readForMail(token: string, options: { nowMs: number; signal: AbortSignal }): Promise<ReadMailLink>;
  /** Checks signature and age of a token. Rejects as the source does, never for what the token is. */
  read(token: string, options: { nowMs: number; signal: AbortSignal }): Promise<ReadLink>;
}

const [minuteMs, dayMs] = [60_000, 86_400_000];
const keyForm: SigningKeyForm = { what: 'secret of links', bytes: [32, 64], unwrap: (text) => text.trim() };
const ofFinding = 'criticizer.finding-link.v1';
const ofMail = 'criticizer.mail-link.v1';
/** Mails are kept for long, and whoever wants no more of them must not find a dead link. */
const mailLinkMs = 365 * dayMs;

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

const mailKeyForm = z.string().regex(/^[0-9a-f]{32}$/);
const findingPayload = z.tuple([z.literal(1), z.string(), z.string(), mailKeyForm, z.int()]);
const mailPayload = z.tuple([z.literal(1), mailKeyForm, z.int()]);

/**
 * Links by which whoever has a mail hides one finding on one change. Such a link proves possession,
 * not identity: it does nothing else, and it expires. Throws `TypeError` for wrong options.
 */
export function createFindingLinks(options: FindingLinksOptions): FindingLinks {
  checkOptions('createFindingLinks', options, optionShape);
  const { url, secret, expiresInMs = 30 * dayMs } = options;

  const readKeys = (signal: AbortSignal) => readSigningKeys(secret, keyForm, signal);

  const linkOf = (token: string): string => {
    const link = new URL(url);
    link.searchParams.set('t', token);
    return link.href;
  };
  const endOf = (date: Date, lifeMs: number): number => Math.floor((date.getTime() + lifeMs) / 1_000);
  const kindOf = (link: { expiresAtMs: number }, nowMs: number) => (nowMs < link.expiresAtMs ? 'valid' : 'expired');

  return {
    url,
    async open({ signal }) {
      const [key] = await readKeys(signal);
      return ({ jobId, findingId, mailKey }, date) =>
        linkOf(sealToken(key, ofFinding, [1, jobId, findingId, mailKey, endOf(date, expiresInMs)]));
    },
    async openForMail({ signal }) {
      const [key] = await readKeys(signal);
      return (mailKey, date) => linkOf(sealToken(key, ofMail, [1, mailKey, endOf(date, mailLinkMs)]));
    },
    async read(token, { nowMs, signal }) {
      const read = findingPayload.safeParse(openToken(await readKeys(signal), ofFinding, token));
      if (!read.success) return { kind: 'invalid' };
      const [, jobId, findingId, mailKey, endsAt] = read.data;
      const link = { jobId, findingId, mailKey, expiresAtMs: endsAt * 1_000 };
      return { kind: kindOf(link, nowMs), link };
    },
    async readForMail(token, { nowMs, signal }) {
      const read = mailPayload.safeParse(openToken(await readKeys(signal), ofMail, token));
      if (!read.success) return { kind: 'invalid' };
      const [, mailKey, endsAt] = read.data;
      const link = { mailKey, expiresAtMs: endsAt * 1_000 };
      return { kind: kindOf(link, nowMs), link };
    },
  };
}
