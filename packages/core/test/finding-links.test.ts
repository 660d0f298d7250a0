import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAuditTrail } from '../src/audit/audit-trail.js';
import { CriticizerError } from '../src/foundation/errors.js';
import type { JsonValue } from '../src/foundation/json.js';
import { createFindingLinks } from '../src/links/finding-links.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { createLinkHandler } from '../src/operate/links/link-handler.js';
import { Secret } from '../src/secrets/secret.js';
import type { SecretSource } from '../src/secrets/secret-source.js';
import { silentLogger } from '../src/telemetry/logger.js';
import { createManualClock } from '../src/testing/support/manual-clock.js';
import { createSeededRandom } from '../src/testing/support/seeded-random.js';
import { change, file, finding, harness, reply, sharedArtifacts } from './criticizer-harness.js';

const day = 86_400_000;
const signal = new AbortController().signal;
const newKey = (): Secret => new Secret(randomBytes(32).toString('base64'));

/** A secret that can be rotated. */
function rotatingSecret() {
  const held: { current: Secret; previous?: Secret | undefined } = { current: newKey() };
  const source: SecretSource = {
    contract: 1,
    read: async () => ({
      current: { secret: held.current, version: '2' },
      ...(held.previous === undefined ? {} : { previous: { secret: held.previous, version: '1' } }),
    }),
  };
  return { held, secret: { source, name: 'LINKS' } };
}

const url = 'https://reviews.example.test/links';

describe('createFindingLinks', () => {
  const link = { jobId: 'j-1', findingId: 'f-1', mailKey: 'a'.repeat(32) };
  const tokenOf = (href: string): string => new URL(href).searchParams.get('t') ?? '';

  it('GRD-8: a link reads back what it was made of, ends on its day, and works through a rotation', async () => {
    const { held, secret } = rotatingSecret();
    const links = createFindingLinks({ url, secret });
    const href = (await links.open({ signal }))(link, new Date(0));
    expect(href).toMatch(/^https:\/\/reviews\.example\.test\/links\?t=[\w.-]{100,400}$/);
    const full = { ...link, expiresAtMs: 30 * day };
    expect(await links.read(tokenOf(href), { nowMs: 30 * day - 1, signal })).toEqual({ kind: 'valid', link: full });
    expect(await links.read(tokenOf(href), { nowMs: 30 * day, signal })).toEqual({ kind: 'expired', link: full });
    held.previous = held.current;
    held.current = newKey();
    expect((await links.read(tokenOf(href), { nowMs: 1, signal })).kind).toBe('valid');
    held.previous = undefined;
    expect((await links.read(tokenOf(href), { nowMs: 1, signal })).kind).toBe('invalid');
  });

  it('GRD-8: no text but an untouched token is valid', async () => {
    const links = createFindingLinks({ url, secret: rotatingSecret().secret });
    const token = tokenOf((await links.open({ signal }))(link, new Date(0)));
    const touched = fc
      .tuple(fc.nat(token.length - 1), fc.constantFrom(...'AZaz09-_.'))
      .map(([at, char]) => token.slice(0, at) + char + token.slice(at + 1));
    // The last character of Base64 has bits that no byte holds: another one may mean the same.
    const others = fc.oneof(touched, fc.string(), fc.string({ unit: 'binary' }), fc.constant(`${token}.x`));
    await fc.assert(
      fc.asyncProperty(others, async (text) => {
        const { kind } = await links.read(text, { nowMs: 1, signal });
        expect(kind === 'valid' && text.slice(0, -1) !== token.slice(0, -1)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('refuses an address and a secret that cannot be used', async () => {
    const { secret } = rotatingSecret();
    for (const wrong of ['', 'links', 'ftp://a.test/', `${url}?a=1`, `${url}#a`, 'https://u:p@a.test/'])
      expect(() => createFindingLinks({ url: wrong, secret })).toThrow(/createFindingLinks: url: expected/);
    expect(() => createFindingLinks({ url, secret, expiresInMs: 366 * day })).toThrow(/at most a year/);
    const short: SecretSource = {
      contract: 1,
      read: async () => ({ current: { secret: new Secret('c2hvcnQ='), version: '1' } }),
    };
    const links = createFindingLinks({ url, secret: { source: short, name: 'LINKS' } });
    await expect(links.open({ signal })).rejects.toMatchObject({ code: 'SECRET_REJECTED' });
  });
});

const meta = { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
const redactor = { ruleVersion: '1', redact: (value: unknown) => ({ value: value as JsonValue, meta }) };

/** A review whose mail has links, and the handler that answers them. */
async function mailWithLinks(options: Parameters<typeof harness>[0] = {}) {
  const clock = createManualClock();
  const stores = createMemoryStores();
  const audit = createAuditTrail({
    ...{ store: stores.audit, redactor, destinations: [], random: createSeededRandom(3), logger: silentLogger },
  });
  const links = createFindingLinks({ url, secret: rotatingSecret().secret });
  const artifacts = sharedArtifacts();
  const more = { stores, audit, artifacts, findingLinks: links };
  const first = harness({ ...options, more });
  const review = await first.criticizer.review(await first.run());
  const [mail] = first.mailer.accepted();
  const hrefs: (string | undefined)[] = JSON.parse(String(mail?.mail.text ?? '{}')).result.findings.map(
    (one: { hideUrl?: string }) => one.hideUrl,
  );
  clock.freeze(Date.now() - clock.nowMs());
  const handle = createLinkHandler({ criticizer: first.criticizer, links, clock });
  const post = (href: string, body = 'disposition=false_positive') =>
    handle(
      new Request(href, {
        ...{ method: 'POST', body },
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    );
  return { clock, stores, more, first, review, hrefs, handle, post };
}

describe('a link in a mail', () => {
  it('GRD-8: opening it changes nothing; posting hides the finding in the next version, audited by the mail', async () => {
    const { stores, more, first, review, hrefs, handle, post } = await mailWithLinks();
    const [href = ''] = hrefs;
    for (const method of ['GET', 'HEAD', 'GET']) {
      const shown = await handle(new Request(href, { method }));
      expect([shown.status, shown.headers.get('cache-control')]).toEqual([200, 'no-store']);
      const page = await shown.text();
      if (method === 'GET') expect(page).toContain('<button name="disposition" value="false_positive">');
      else expect(page).toBe('');
    }
    expect(await stores.suppressions.list({})).toEqual([]);

    const hidden = await post(href);
    expect([hidden.status, await hidden.text()]).toEqual([200, expect.stringContaining('The finding is hidden')]);
    expect(await (await post(href)).text()).toContain('The finding was hidden before');
    const [row, ...others] = await stores.outbox.list({});
    const [event] = await stores.audit.list({});
    expect([others, event]).toMatchObject([
      [],
      {
        ...{ action: 'finding.suppress', actorType: 'system', actorId: `link:${row?.key}` },
        payload: { reviewVersion: 1, coversSecret: false, disposition: 'false_positive' },
      },
    ]);
    expect(await stores.audit.list({})).toHaveLength(1);
    await first.criticizer.stop();

    const second = harness({ more });
    const after = await second.criticizer.review(await second.run(2));
    await second.criticizer.stop();
    expect([after?.findings, after?.state.verdict]).toEqual([[], 'inconclusive']);
    expect(after?.suppressed.map(({ id }) => id)).toEqual(review?.findings.map(({ id }) => id));
  });

  it('GRD-8: an expired, foreign or cut link, another method and another choice change nothing', async () => {
    const { clock, stores, hrefs, first, handle, post } = await mailWithLinks();
    const [href = ''] = hrefs;
    const statuses = [
      (await post(href.slice(0, -5))).status,
      (await post(`${url}?t=`)).status,
      (await post(href, 'disposition=all')).status,
      (await post(href, `disposition=false_positive&pad=${'x'.repeat(2_000)}`)).status,
      (await handle(new Request(href, { method: 'DELETE' }))).status,
    ];
    clock.freeze(30 * day);
    statuses.push((await post(href)).status);
    expect(statuses).toEqual([404, 404, 400, 400, 405, 410]);
    expect(await stores.suppressions.list({})).toEqual([]);
    await first.criticizer.stop();
  });

  it('GRD-8: a withheld credential has no link, and one made for it is refused', async () => {
    const word = ['secret', 'abcd1234'].join('-');
    const { stores, review, hrefs, first, more, post } = await mailWithLinks({
      change: change({ files: [file('//depot/a.ts', [`const key = '${word}';`])] }),
      script: [reply([])],
    });
    const [secret] = review?.findings ?? [];
    expect([secret?.origin, hrefs]).toEqual(['redaction', [undefined]]);
    const linkTo = await more.findingLinks.open({ signal });
    const [row] = await stores.outbox.list({});
    const facts = { jobId: row?.jobId ?? '', findingId: secret?.id ?? '', mailKey: row?.key ?? '' };
    expect((await post(linkTo(facts, new Date()))).status).toBe(403);
    expect(await stores.suppressions.list({})).toEqual([]);
    await first.criticizer.stop();
  });

  it('GRD-8: hostile words of a finding are text, and a store that fails is a page that says so', async () => {
    const hostile = finding({ title: '<img src=x onerror=alert(1)>"\u202e' });
    const { first, hrefs, handle, more } = await mailWithLinks({ script: [reply([hostile])] });
    const page = await (await handle(new Request(hrefs[0] ?? ''))).text();
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&lt;U+202E&gt;');
    expect(page).not.toContain('<img');
    await first.criticizer.stop();
    const broken = createLinkHandler({
      criticizer: { ...first.criticizer, status: () => Promise.reject(new Error('out')) },
      links: more.findingLinks,
    });
    const failed = await broken(new Request(hrefs[0] ?? ''));
    expect([failed.status, await failed.text()]).toEqual([503, expect.not.stringContaining('out</p>')]);
  });

  it('GRD-8: nothing is hidden after the reader was told that it is not possible, and a full change says so', async () => {
    const { first, hrefs, more } = await mailWithLinks();
    const hidden: unknown[] = [];
    let refuse: Error | undefined;
    let answer = (): void => undefined;
    const slow = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const clock = createManualClock();
    clock.freeze(Date.now() - clock.nowMs());
    let isSlow = true;
    const handle = createLinkHandler({
      clock,
      links: more.findingLinks,
      criticizer: {
        review: (id) => first.criticizer.review(id),
        status: async (id) => {
          if (isSlow) await slow;
          return first.criticizer.status(id);
        },
        operate: {
          suppressFinding: async (request) => {
            hidden.push(request);
            throw refuse ?? new Error('not asked for');
          },
          stopMails: async () => Promise.reject(new Error('not asked for')),
        },
      },
    });
    const post = () =>
      handle(new Request(hrefs[0] ?? '', { method: 'POST', body: new URLSearchParams({ disposition: 'wont_fix' }) }));
    const late = post();
    await clock.advance(10_001);
    expect((await late).status).toBe(503);
    answer();
    await new Promise(setImmediate);
    isSlow = false;
    refuse = new CriticizerError('SUPPRESSIONS_FULL', 'full', { category: 'conflict' });
    const full = await post();
    expect([full.status, await full.text()]).toEqual([409, expect.stringContaining('Too many findings')]);
    expect(hidden).toHaveLength(1);
    await first.criticizer.stop();
  });

  it('is not answered without an audit trail', () => {
    const criticizer = { status: async () => null, review: async () => null, operate: null };
    const { secret } = rotatingSecret();
    expect(() => createLinkHandler({ criticizer, links: createFindingLinks({ url, secret }) })).toThrow(
      'expected one with the option audit',
    );
  });
});
