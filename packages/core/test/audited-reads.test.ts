import { expect, it } from 'vitest';
import { createRoleAccessPolicy } from '../src/artifacts/role-access-policy.js';
import { createAuditTrail, createMemoryStores, silentLogger, systemRandom } from '../src/doors/audit.js';
import { change, file, finding, harness, reply, sharedArtifacts } from './criticizer-harness.js';

const meta = { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
const redactor = { ruleVersion: '1', redact: (value: unknown) => ({ value: value as string, meta }) };
const truePath = `//depot/${['secret', 'abcdefgh'].join('-')}/a.ts`;
const lead = { type: 'admin_user', id: 'ada', roles: ['lead'] } as const;

/** A finished review whose path is hidden, with a trail or without. */
async function reviewed(isAudited: boolean) {
  const stores = createMemoryStores();
  const trail = { store: stores.audit, redactor, destinations: [], random: systemRandom, logger: silentLogger };
  const access = createRoleAccessPolicy([{ role: 'lead', actions: ['read'], namespaces: ['raw', 'redacted'] }]);
  const t = harness({
    change: change({ files: [file(truePath, ['const a = 1;'])] }),
    script: [reply([finding({ file: '//depot/@alias-1/a.ts' })])],
    more: {
      ...{ stores, artifacts: { ...sharedArtifacts(), access } },
      ...(isAudited ? { audit: createAuditTrail(trail) } : {}),
    },
  });
  const id = await t.run();
  const read = async () =>
    (await t.criticizer.review(id, { actor: lead, reason: 'OPS-7' }))?.result.findings.map((found) => found.file);
  const events = async () =>
    (await stores.audit.list({})).map((event) => `${event.action} ${event.payload['reason']}`).sort();
  return { read, events, stop: () => t.criticizer.stop() };
}

it('ART-4: a review that a person reads leaves an event for each artifact; the run that made it leaves none', async () => {
  const t = await reviewed(true);
  expect(await t.events()).toEqual([]);
  expect(await t.read()).toEqual([truePath]);
  expect(await t.events()).toEqual(['artifact.read_raw OPS-7', 'artifact.read_redacted OPS-7']);
  await t.stop();
});

it('ART-4: without a trail a person who may read raw artifacts sees redacted paths', async () => {
  const t = await reviewed(false);
  expect(await t.read()).not.toContain(truePath);
  await t.stop();
});
