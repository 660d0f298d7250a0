import { createHash } from 'node:crypto';
import { silentLogger, systemRandom } from '@criticizer/core';
import { createAuditTrail } from '@criticizer/core/audit';
import { createPayloadRedactor } from '@criticizer/redact';
import { expect, it } from 'vitest';
import { createTestReviews, eventually } from './review-parts.js';
import { listSent, previewRequests, switchModels } from './see-what-leaves.js';

it('a preview shows the request and sends nothing', async () => {
  const { criticizer, sent } = createTestReviews();
  const [request = ''] = await previewRequests(criticizer, 7);
  expect(request).toMatch(/^\d+ bytes to llm\.example\.com.*: \{/);
  expect(request).toContain('let a = 2;');
  expect(sent).toEqual([]);
  await criticizer.stop();
});

it('a stopped model gets nothing, the job waits, and what is sent later is on record', async () => {
  const { criticizer, stores, sent } = createTestReviews();
  const options = {
    store: stores.audit,
    redactor: createPayloadRedactor(),
    destinations: ['siem'],
    random: systemRandom,
    logger: silentLogger,
  };
  expect(
    await switchModels(stores, createAuditTrail(options), true, { type: 'admin_user', id: 'ada' }, 'looking into it'),
  ).toBe(true);
  expect(await stores.audit.list({})).toMatchObject([{ action: 'egress.kill_switch.set', actorId: 'ada' }]);
  await criticizer.start();
  const { job } = await criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
  const waiting = await eventually(async () => {
    const [found] = await stores.jobs.get([job.id]);
    return found?.waitingFor ?? undefined;
  });
  expect(waiting).toContain('EGRESS_KILLED');
  expect(sent).toEqual([]);
  expect(await listSent(stores, 7)).toEqual([]);
  await criticizer.stop();
});

it('what was sent is on record, to the byte', async () => {
  const { criticizer, stores, sent } = createTestReviews();
  await criticizer.start();
  await criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
  await eventually(async () => sent[0]);
  const [line = ''] = await listSent(stores, 7);
  expect(line).toContain(
    createHash('sha256')
      .update(sent[0] ?? '')
      .digest('hex'),
  );
  await criticizer.stop();
});
