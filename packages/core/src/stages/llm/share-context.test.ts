import { describe, expect, it } from 'vitest';
import { redactChange } from '../../changes/redact-change.js';
import { createProviderPolicy } from '../../egress/provider-policy.js';
import type { LlmProvider } from '../../llm/llm-provider.js';
import { resolveSettings } from '../../settings/settings.js';
import { contextSample } from '../../testing/support/context-sample.js';
import { createMarkerRedactor } from '../../testing/support/marker-redactor.js';
import { createPathFilter, filterChange } from '../job/path-filter.js';
import { listTruePaths } from '../job/true-paths.js';
import { shareWithContext } from './share-context.js';

const of = [{ file: 0, hunks: [0] }];
const SECRET = ['secret', 'abcd1234'].join('-');
const change = {
  ...contextSample.change,
  context: {
    files: [
      { path: '//depot/game/src/loop.cpp', text: 'void loop() { Step(); }\n' },
      { path: `//depot/game/keys/${SECRET}.cpp`, text: 'void hidden() { Step(); }\n' },
    ],
    pieces: [0, 1].map((file) => ({
      file,
      kind: 'user' as const,
      name: 'Step',
      form: 'lines' as const,
      startLine: 1,
      endLine: 1,
      of,
    })),
  },
};
const redactor = createMarkerRedactor();
const redacted = redactChange(change, redactor.session(), redactor.rules);
const truePaths = listTruePaths(change);
const provider = (id: string, host: string | undefined) => ({ id, host }) as LlmProvider;
const inside = provider('inside', 'model.internal');
const outside = provider('outside', 'api.example');
const policy = createProviderPolicy({
  rules: [{ paths: ['//depot/game/keys/...'], providers: ['inside'] }],
  otherwise: ['inside', 'outside', 'nameless'],
});
const isInternal = (host: string): boolean => host.endsWith('.internal');

function textsFor(one: LlmProvider, context: object = {}): string[] {
  const settings = resolveSettings({ review: { context } });
  const rules = { findProvider: () => undefined };
  const [share] = shareWithContext({
    ...{ providers: [one], policy, change: redacted, truePaths, isInternal, settings },
    rules,
  });
  expect(share?.files, 'context decides nothing about the files of the change').toEqual(new Set([0]));
  return (share?.change.context ?? []).map(({ text }) => text);
}

describe('context by provider', () => {
  it('GRD-4: a provider gets no piece of a file that the policy keeps from it, also where its path has an alias', () => {
    expect(textsFor(inside)).toEqual(['void loop() { Step(); }', 'void hidden() { Step(); }']);
    expect(textsFor(outside, { publicHosts: 'wide' })).toEqual(['void loop() { Step(); }', '']);
  });

  it('GRD-4: a public host gets no file beside the change unless the settings say so; nor one that is not declared', () => {
    expect(textsFor(outside)).toEqual(['', '']);
    expect(textsFor(provider('nameless', undefined))).toEqual(['', '']);
    expect(textsFor(inside, { level: 'sections' })).toEqual(['', '']);
  });

  it('GRD-4: a piece of a file that is kept from the model is withheld', () => {
    const filter = createPathFilter(['//depot/game/keys/...']);
    const { context = [] } = filterChange(redacted, truePaths, filter);
    expect(context.map(({ text }) => text)).toEqual(['void loop() { Step(); }', '']);
  });
});
