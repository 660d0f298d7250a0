import type { Fault } from './fault.js';

// Put together here so that no scanner takes this file for a leak.
const plantedLogin = ['smtp:/', '/mailer:', 'Zk3vQ81pLmX', '@mail.example.com'].join('');

export const secFaults: readonly Fault[] = [
  {
    id: 'SEC-1',
    file: 'packages/core/src/secrets/file-secrets.ts',
    find: '(info.mode & 0o077) !== 0',
    replace: '(info.mode & 0o007) !== 0',
    tests: 'secrets/file-secrets',
  },
  {
    id: 'SEC-2',
    file: 'packages/core/src/settings/worker-settings.ts',
    find: 'How long a parked stage (expired credential, kill switch) waits',
    replace: plantedLogin,
    tests: 'secrets/no-credentials',
  },
  {
    id: 'SEC-3',
    file: 'packages/core/src/secrets/secret.ts',
    find: "  toJSON(): string {\n    return '[secret]';",
    replace: '  toJSON(): string {\n    return revealSecret(this);',
    tests: 'secrets/environment-secrets',
  },
  {
    id: 'SEC-3',
    file: 'packages/core/src/telemetry/error-facts.ts',
    find: '/^[A-Z0-9_]{1,64}$/.test(code)',
    replace: 'true',
    tests: 'telemetry/error-facts',
  },
  {
    id: 'SEC-3',
    file: 'packages/redact/src/structured/key-judge.ts',
    find: 'freeText.isPlain(key) ? key : freeText.redact(key)',
    replace: 'key',
    tests: 'structured/payload-redactor',
  },
  {
    id: 'SEC-3',
    file: 'packages/core/src/stages/fetch/fetch-stage.ts',
    find: 'context.report({ ...countFacts(redacted, filtered), ...countContext(gathered) });',
    replace: 'context.report({ ...countFacts(redacted, filtered), user: outcome.change.user });',
    tests: 'test/secrecy/no-secret-recovered',
  },
  {
    id: 'SEC-4',
    file: 'packages/core/src/secrets/environment-secrets.ts',
    find: 'delete env[variable];',
    replace: '',
    tests: 'secrets/environment-secrets',
  },
  {
    id: 'SEC-5',
    file: 'packages/p4/src/runner/runner-client.ts',
    find: 'if (previous === undefined || !isDeniedKey(error)) throw error;',
    replace: 'throw error;',
    tests: 'p4/test/runner',
  },
  {
    id: 'SEC-5',
    file: 'packages/p4/src/client/p4-client.ts',
    find: 'if (ticket === null && options.runner === undefined) return outcome.error;',
    replace: 'if (ticket === null) return outcome.error;',
    tests: 'p4/test/runner',
  },
  {
    id: 'SEC-5',
    file: 'packages/core/src/secrets/environment-secrets.ts',
    find: 'previous: take(',
    replace: 'previous: undefined && take(',
    tests: 'secrets/environment-secrets',
  },
  {
    id: 'SEC-4',
    file: 'packages/core/src/llm/extra-body.ts',
    find: 'if (credential !== null)',
    replace: 'if (credential === option)',
    tests: 'llm/extra-body',
  },
  {
    id: 'SEC-4',
    file: 'packages/llm-ai-sdk/src/ai-sdk-calls.ts',
    find: 'headers: Object.freeze(recordedHeaders(call.headers)),',
    replace: 'headers: call.headers,',
    tests: 'examples/snippets/src/use-an-ai-sdk-model',
  },
  {
    id: 'SEC-4',
    file: 'packages/llm-ai-sdk/src/model-headers.ts',
    find: 'Object.keys(headers).filter((name) => recorded.has(name.toLowerCase()))',
    replace: 'Object.keys(headers)',
    tests: 'llm-ai-sdk/test/contract',
  },
];
