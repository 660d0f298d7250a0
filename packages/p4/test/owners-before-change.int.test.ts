import { createRecipientRules } from '@criticizer/core';
import { expect, it } from 'vitest';
import { contextChange, contextModel, setUpReader } from './context-setup.js';

const { files: _files, ...summary } = contextChange;
const owners = (content: string) => ({ path: '//depot/game/OWNERS', action: 'add' as const, content });

it('INT-3: owners are read as the server had them before the change, by its allow-list', async () => {
  const [base, change, later] = contextModel.changes;
  if (base === undefined || change === undefined || later === undefined) throw new Error('the model has three changes');
  const deniedOwners = { path: '//depot/game/src/keys/OWNERS', action: 'add' as const, content: 'eve@example.test\n' };
  const model = {
    ...contextModel,
    changes: [
      { ...base, files: [...base.files, owners('bob@example.test\n'), deniedOwners] },
      { ...change, files: [...change.files, { ...owners('# nobody\n'), action: 'edit' as const }] },
      later,
    ],
  };
  const { reader, simulator, commands, events } = setUpReader(model);
  try {
    const resolver = createRecipientRules({ owners: { reader, domains: ['example.test'] } });
    const request = {
      ...{ change: summary, version: 1, verdict: 'findings' as const, findings: [] },
      paths: ['//depot/game/src/world.cpp', '//depot/game/OWNERS', '//depot/game/src/keys/a.cpp'],
      counts: { critical: 0, high: 1, medium: 0, low: 0, info: 0 },
    };
    const signal = AbortSignal.timeout(30_000);
    const found = await resolver.resolve(request, { signal });
    expect(found.map(({ address }) => address)).toEqual(['bob@example.test']);
    expect([commands().sort(), events]).toEqual([['fstat', 'info', 'print'], []]);
    const after = await resolver.resolve({ ...request, change: { ...summary, number: 50 } }, { signal });
    expect(after).toEqual([]);
  } finally {
    simulator.dispose();
  }
});
