import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { isCriticizerError } from '../../errors.js';
import { revealSecret } from '../../secrets/secret.js';
import type { SecretSource } from '../../secrets/secret-source.js';
import type { Runner } from '../runner.js';
import { contractCases } from './contract-cases.js';

/** A source and the hand that rotates what is behind it. */
export interface SecretSourceUnderTest {
  source: SecretSource;
  /** Sets both versions of a credential; null takes it away. */
  set(name: string, versions: { current: string; previous?: string | undefined } | null): Promise<void>;
  dispose(): Promise<void>;
}

export interface SecretSourceHarness {
  /** A name the source understands. Default `CONTRACT_KEY`. */
  name?: string | undefined;
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

/** What every `SecretSource` must do (SEC-1, SEC-3, SEC-5). */
export function describeSecretSourceContract(runner: Runner, harness: SecretSourceHarness): void {
  const name = harness.name ?? 'CONTRACT_KEY';
  const it = contractCases(runner, harness);

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
        for (const encoding of ['hex', 'base64', 'base64url'] as const)
          assert.ok(!createHash(algorithm).update(current).digest(encoding).includes(version), `${algorithm} of the value`);
    });
    it('SEC-3: what is read never prints its value', async ({ source, set }) => {
      const [current, previous] = [value(), value()];
      await set(name, { current, previous });
      const read = await source.read(name);
      const printed = [inspect(read, { depth: 10, showHidden: true }), JSON.stringify(read), `${read.current.secret}`].join('\n');
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
