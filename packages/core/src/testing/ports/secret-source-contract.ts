import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { isCriticizerError } from '../../foundation/errors.js';
import { revealSecret } from '../../secrets/secret.js';
import type { SecretSource } from '../../secrets/secret-source.js';
import { defaultDeadlineMs, expectWithin } from '../support/case-deadline.js';
import { type CaseOn, contractCases } from '../support/contract-cases.js';
import type { Runner } from '../support/runner.js';

/** A source and the hand that rotates what is behind it. */
export interface SecretSourceUnderTest {
  source: SecretSource;
  /** Sets both versions of a credential; null takes it away. */
  set(name: string, versions: { current: string; previous?: string | undefined } | null): Promise<void>;
  dispose(): Promise<void>;
}

/** Makes a source of secrets for each case. */
export interface SecretSourceHarness {
  /** A name the source understands. Default `CONTRACT_KEY`. */
  name?: string | undefined;
  /** Another one. Default `CONTRACT_OTHER`. */
  otherName?: string | undefined;
  /** How long one read may take, in milliseconds. Default 4,000. */
  deadlineMs?: number | undefined;
  /** A fresh, empty source for each test. */
  create(): Promise<SecretSourceUnderTest>;
}

const value = (): string => randomBytes(24).toString('base64url');

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.fail('expected a rejection'),
    (error: unknown) => error,
  );
}

const encodings = ['utf8', 'hex', 'base64', 'base64url'] as const;
/** Two characters of every value are chance; three at one place in each of several versions are not. */
const PART_CHARS = 3;

/** True where each version holds the same part of its value, plain or encoded. */
function leakPart(read: readonly { value: string; version: string }[]): boolean {
  return encodings.some((encoding) => {
    const shown = read.map(({ value: text, version }) => ({ text: Buffer.from(text).toString(encoding), version }));
    const starts = Array.from(
      { length: Math.min(...shown.map(({ text }) => text.length)) - PART_CHARS + 1 },
      (_, at) => at,
    );
    return starts.some((at) => shown.every(({ text, version }) => version.includes(text.slice(at, at + PART_CHARS))));
  });
}

/** All that an error may print, in a log or a report. */
function printed(error: unknown): string {
  const chain: unknown[] = [];
  for (let at = error; at instanceof Error && chain.length < 8; at = at.cause) chain.push(at, at.message, at.stack);
  return [
    ...chain.map((one) => inspect(one, { depth: 10, showHidden: true })),
    JSON.stringify(error),
    String(error),
  ].join('\n');
}

/** What every `SecretSource` must do (SEC-1, SEC-3, SEC-5). */
export function describeSecretSourceContract(runner: Runner, harness: SecretSourceHarness): void {
  const name = harness.name ?? 'CONTRACT_KEY';
  const otherName = harness.otherName ?? 'CONTRACT_OTHER';
  const deadlineMs = harness.deadlineMs ?? defaultDeadlineMs;
  const cases = contractCases(runner, harness);
  const it: CaseOn<SecretSourceUnderTest> = (title, body) =>
    cases(title, async (given) => {
      const read: SecretSource['read'] = (...args) =>
        expectWithin(deadlineMs, 'read() to settle', given.source.read(...args));
      await body({ ...given, source: { contract: 1, read } });
    });

  runner.describe('SecretSource contract', () => {
    it('SEC-1: reads the current version, and no previous one where there is none', async ({ source, set }) => {
      const current = value();
      await set(name, { current });
      const read = await source.read(name);
      assert.equal(revealSecret(read.current.secret), current);
      assert.equal(read.previous, undefined);
    });
    it('SEC-5: reads both versions during a rotation', async ({ source, set }) => {
      const [current, previous] = [value(), value()];
      await set(name, { current, previous });
      const read = await source.read(name);
      assert.equal(revealSecret(read.current.secret), current);
      assert.ok(read.previous !== undefined && revealSecret(read.previous.secret) === previous);
      assert.notEqual(read.current.version, read.previous.version);
    });
    it('SEC-5: a rotation counts at the next read, without a restart', async ({ source, set }) => {
      const [first, second] = [value(), value()];
      await set(name, { current: first });
      const before = await source.read(name);
      await set(name, { current: second, previous: first });
      const after = await source.read(name);
      assert.equal(revealSecret(after.current.secret), second);
      assert.notEqual(after.current.version, before.current.version);
      assert.equal(after.previous?.version, before.current.version);
    });
    it('a version is the same for the same value and cannot be turned back', async ({ source, set }) => {
      const current = value();
      await set(name, { current });
      const { version } = (await source.read(name)).current;
      assert.equal((await source.read(name)).current.version, version);
      assert.ok(!version.includes(current) && !current.includes(version));
      for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512'])
        for (const encoding of ['hex', 'base64', 'base64url'] as const) {
          const digest = createHash(algorithm).update(current).digest(encoding);
          const isDigest = digest.includes(version) || version.includes(digest.slice(0, 8));
          assert.ok(!isDigest, `expected a version that cannot be turned back, not the ${algorithm} of the value`);
        }
    });
    it('SEC-3: a version holds no part of its value', async ({ source, set }) => {
      const read: { value: string; version: string }[] = [];
      for (let n = 0; n < 4; n++) {
        const current = value();
        await set(name, { current });
        read.push({ value: current, version: (await source.read(name)).current.version });
      }
      assert.ok(!leakPart(read), 'expected versions that hold no part of their values, plain or encoded');
    });
    it('SEC-3: the error for a missing credential says nothing of the others', async ({ source, set }) => {
      const others = [value(), value()] as const;
      await set(otherName, { current: others[0], previous: others[1] });
      const text = printed(await rejection(source.read(name)));
      for (const other of others)
        for (const encoding of encodings)
          assert.ok(
            !text.includes(
              Buffer.from(other)
                .toString(encoding)
                .replace(/.{3}=*$/, ''),
            ),
            'expected an error that holds no value of another secret',
          );
      assert.ok(!text.includes(otherName), 'expected an error that names no other secret');
    });
    it('SEC-3: what is read never prints its value', async ({ source, set }) => {
      const [current, previous] = [value(), value()];
      await set(name, { current, previous });
      const read = await source.read(name);
      const printed = [
        inspect(read, { depth: 10, showHidden: true }),
        JSON.stringify(read),
        `${read.current.secret}`,
      ].join('\n');
      assert.ok(!printed.includes(current) && !printed.includes(previous));
    });
    it('INT-4: a credential that is not there is SECRET_MISSING and parks', async ({ source, set }) => {
      const gone = value();
      await set(name, { current: gone });
      await source.read(name);
      await set(name, null);
      const error = await rejection(source.read(name));
      assert.ok(isCriticizerError(error));
      assert.equal(error.code, 'SECRET_MISSING');
      assert.equal(error.category, 'auth');
      assert.equal(error.parks, true);
      assert.ok(!inspect(error).includes(gone));
    });
    it('an aborted read rejects', async ({ source, set }) => {
      await set(name, { current: value() });
      await assert.rejects(source.read(name, { signal: AbortSignal.abort() }));
    });
  });
}
