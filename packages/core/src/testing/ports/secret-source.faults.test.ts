import { createHash, createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CriticizerError } from '../../foundation/errors.js';
import { Secret } from '../../secrets/secret.js';
import type { SecretSource } from '../../secrets/secret-source.js';
import { collectCases, failedCases } from '../support/collecting-runner.js';
import { describeSecretSourceContract, type SecretSourceHarness } from './secret-source-contract.js';

interface Fault {
  version?: (value: string) => string;
  missing?: (name: string, values: ReadonlyMap<string, string>) => Error;
  read?: SecretSource['read'];
}

const salt = randomBytes(32);
const tag = (value: string): string => createHmac('sha256', salt).update(value).digest('base64url').slice(0, 16);
const missing = (details = {}, cause?: unknown): CriticizerError =>
  new CriticizerError('SECRET_MISSING', 'a credential is missing', { category: 'auth', parks: true, details, cause });

function harness({ version = tag, missing: absent = () => missing(), read }: Fault): SecretSourceHarness {
  return {
    deadlineMs: 200,
    async create() {
      const values = new Map<string, string>();
      const take = (name: string) => {
        const value = values.get(name);
        return value === undefined ? undefined : { secret: new Secret(value), version: version(value) };
      };
      const source: SecretSource = {
        contract: 1,
        async read(name, { signal } = {}) {
          signal?.throwIfAborted();
          const current = take(name);
          if (current === undefined) throw absent(name, values);
          return { current, previous: take(`${name}_PREVIOUS`) };
        },
      };
      return {
        source: { contract: 1, read: read ?? source.read },
        async set(name, versions) {
          const both = { [name]: versions?.current, [`${name}_PREVIOUS`]: versions?.previous };
          for (const [key, value] of Object.entries(both)) {
            if (value === undefined) values.delete(key);
            else values.set(key, value);
          }
        },
        dispose: async () => undefined,
      };
    },
  };
}

async function failures(fault: Fault): Promise<string[]> {
  const failed = await failedCases(collectCases(describeSecretSourceContract, harness(fault)));
  return failed.map(({ name, error }) => `${name.split(' > ').at(-1)}: ${(error as Error).message}`);
}

describe('the secret source contract convicts', () => {
  it.each<[string, Fault, RegExp]>([
    [
      'an error that lists the names of other secrets',
      { missing: (_name, values) => missing({ known: [...values.keys()] }) },
      /SEC-3: the error.*names no other secret/,
    ],
    [
      'an error whose cause holds the values of other secrets',
      { missing: (_name, values) => missing({}, new Error(JSON.stringify([...values]))) },
      /SEC-3: the error.*holds no value/,
    ],
    [
      'an error that holds another secret encoded',
      { missing: (_name, values) => missing({ dump: Buffer.from([...values.values()].join('')).toString('base64') }) },
      /SEC-3: the error.*holds no value/,
    ],
    [
      'a version that begins with the value’s first characters',
      { version: (value) => value.slice(0, 3) + tag(value) },
      /a version.*no part/,
    ],
    [
      'a version that ends with its last ones',
      { version: (value) => `${tag(value)}-${value.slice(-4)}` },
      /a version.*no part/,
    ],
    [
      'a version with a part in hex',
      { version: (value) => tag(value) + Buffer.from(value.slice(0, 3)).toString('hex') },
      /a version.*no part/,
    ],
    [
      'a version that is a cut digest under a prefix',
      { version: (value) => `v1-${createHash('sha256').update(value).digest('hex').slice(0, 12)}` },
      /a version.*turned back/,
    ],
    [
      'a read that never settles',
      { read: () => new Promise(() => undefined) },
      /SEC-1: reads the current.*expected read\(\) to settle within 200 ms/,
    ],
  ])('%s', async (_name, fault, expected) => {
    expect(await failures(fault)).toContainEqual(expect.stringMatching(expected));
  });

  it('no honest source', async () => {
    expect(await failures({})).toEqual([]);
  });
});
