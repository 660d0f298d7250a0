import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { describeSecretSourceContract, type SecretSourceHarness } from '../testing/ports/secret-source-contract.js';
import { collectCases, failedCases } from '../testing/support/collecting-runner.js';
import { createEnvironmentSecrets } from './environment-secrets.js';
import { revealSecret, Secret } from './secret.js';
import type { SecretSource } from './secret-source.js';

function assign(env: NodeJS.ProcessEnv, name: string, value: string | undefined): void {
  if (value === undefined) delete env[name];
  else env[name] = value;
}

function harnessOver(make: (env: NodeJS.ProcessEnv) => SecretSource): SecretSourceHarness {
  return {
    async create() {
      const env: NodeJS.ProcessEnv = {};
      return {
        source: make(env),
        async set(name, versions) {
          assign(env, name, versions?.current);
          assign(env, `${name}_PREVIOUS`, versions?.previous);
        },
        async dispose() {},
      };
    },
  };
}

describeSecretSourceContract(
  { describe, it },
  harnessOver((env) => createEnvironmentSecrets({ env })),
);

describe('the contract convicts', () => {
  const seen = (env: NodeJS.ProcessEnv, name: string, version: (value: string) => string) => {
    const value = env[name];
    return value === undefined ? undefined : { secret: new Secret(value), version: version(value) };
  };
  const faulty = (version: (value: string) => string, remember = false): SecretSourceHarness => {
    return harnessOver((env) => {
      const cache = new Map<string, NonNullable<ReturnType<typeof seen>>>();
      return {
        contract: 1 as const,
        async read(name) {
          const current = (remember ? cache.get(name) : undefined) ??
            seen(env, name, version) ?? { secret: new Secret('none'), version: '0' };
          cache.set(name, current);
          return { current, previous: seen(env, `${name}_PREVIOUS`, version) };
        },
      };
    });
  };

  const failuresOf = async (harness: SecretSourceHarness) =>
    (await failedCases(collectCases(describeSecretSourceContract, harness))).map(({ name }) =>
      name.replace(/^.*? > /, ''),
    );

  it('SEC-5: a source that never looks again', async () => {
    const failed = await failuresOf(faulty((value) => `${value.length}`, true));
    expect(failed).toContain('SEC-5: a rotation counts at the next read, without a restart');
    expect(failed).toContain('INT-4: a credential that is not there is SECRET_MISSING and parks');
    expect(failed).toContain('an aborted read rejects');
  });
  it('SEC-3: a source whose version holds the value', async () => {
    const failed = await failuresOf(faulty((value) => value));
    expect(failed).toContain('a version is the same for the same value and cannot be turned back');
    expect(failed).toContain('SEC-3: what is read never prints its value');
  });
});

describe('createEnvironmentSecrets', () => {
  const value = (): string => randomBytes(12).toString('hex');

  it('puts the prefix before the name', async () => {
    const expected = value();
    const source = createEnvironmentSecrets({ env: { HOUSE_KEY: expected }, prefix: 'HOUSE_' });
    expect(revealSecret((await source.read('KEY')).current.secret)).toBe(expected);
  });

  it('SEC-4: takes values out of the environment, keeps them, and sees one set anew', async () => {
    const [first, second] = [value(), value()];
    const env: NodeJS.ProcessEnv = { KEY: first, KEY_PREVIOUS: value(), OTHER: 'stays' };
    const source = createEnvironmentSecrets({ env, removeFromEnv: true });
    const read = await source.read('KEY');
    expect(env).toEqual({ OTHER: 'stays' });
    expect((await source.read('KEY')).current.version).toBe(read.current.version);
    expect((await source.read('KEY')).previous?.version).toBe(read.previous?.version);
    env['KEY'] = second;
    expect(revealSecret((await source.read('KEY')).current.secret)).toBe(second);
    expect(env).toEqual({ OTHER: 'stays' });
  });

  it('tags the same value differently in another source, so that tags tell nothing elsewhere', async () => {
    const env = { KEY: value() };
    const [one, other] = [createEnvironmentSecrets({ env }), createEnvironmentSecrets({ env })];
    expect((await one.read('KEY')).current.version).not.toBe((await other.read('KEY')).current.version);
  });

  it('SEC-5: a version is as old as NAME_CREATED_AT says, and of no known age without', async () => {
    const env: NodeJS.ProcessEnv = { KEY: value() };
    const source = createEnvironmentSecrets({ env });
    expect((await source.read('KEY')).current.createdAt).toBeUndefined();
    env['KEY_CREATED_AT'] = '2026-03-04';
    expect((await source.read('KEY')).current.createdAt).toEqual(new Date('2026-03-04'));
  });

  it('refuses names that no variable can have', async () => {
    expect(() => createEnvironmentSecrets({ prefix: 'a-b' })).toThrow(TypeError);
    for (const name of ['', 'A B', 'A=B', '1A', '../A'])
      await expect(createEnvironmentSecrets({ env: {} }).read(name)).rejects.toThrow(TypeError);
  });

  it('an empty variable is SECRET_MISSING', async () => {
    await expect(createEnvironmentSecrets({ env: { KEY: '' } }).read('KEY')).rejects.toMatchObject({
      code: 'SECRET_MISSING',
      parks: true,
    });
  });
});
