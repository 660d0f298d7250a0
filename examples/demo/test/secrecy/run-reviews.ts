import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Logger, Stores, Telemetry } from '@criticizer/core';
import type { Attributes } from '@criticizer/core/ports';
import { createP4Simulator } from '@criticizer/p4/testing';
import { hasEnded } from '../../src/demo-review.js';
import { standInMail } from '../../src/mail/mail-endpoint.js';
import { findOrStartMailServer, stopMailServer } from '../../src/mail/mail-server-process.js';
import { standInModel } from '../../src/model/model-endpoint.js';
import { startModelServer } from '../../src/model/model-server.js';
import { sampleConnection } from '../../src/perforce/demo-perforce.js';
import { serverId } from '../../src/perforce/sample-change.js';
import { createReviewService } from '../../src/review-service.js';
import type { Evidence } from './recover-secrets.js';
import type { SecretChanges } from './secret-changes.js';

/** Stands before the model and keeps every byte that is sent to it. */
async function startListener(origin: string, heard: Evidence[]) {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    heard.push({
      where: 'a request to the model',
      text: [request.method, request.url, ...request.rawHeaders, body].join('\n'),
    });
    const answer = await fetch(`${origin}${request.url}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/** Logger and telemetry that keep all they are told, as a collector outside would. */
function observers(heard: Evidence[]): { logger: Logger; telemetry: Telemetry } {
  const log =
    (level: string) =>
    (fields: object, message: string): void =>
      void heard.push({
        where: `a ${level} line of the log`,
        text: `${message}\n${inspect(fields, { depth: 12, maxStringLength: null })}`,
      });
  const measure = (name: string, value: number, attributes: Attributes = {}): void =>
    void heard.push({ where: 'a measurement', text: JSON.stringify([name, value, attributes]) });
  return {
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    telemetry: {
      count: measure,
      record: measure,
      gauge: measure,
      startSpan(name, attributes) {
        measure(name, 1, attributes);
        return {
          setAttributes: (more) => measure(name, 1, more),
          end: (error) => measure(name, 1, error === undefined ? {} : { error }),
        };
      },
    },
  };
}

export const secretNames = ['ARTIFACT_KEY', 'FINGERPRINT_KEY', 'P4_TICKET'] as const;

/** A folder as the demo makes one, with keys of its own. Gives the keys by name. */
export function makeSecrets(directory: string, ticket: string): Readonly<Record<(typeof secretNames)[number], string>> {
  const secrets = {
    ARTIFACT_KEY: randomBytes(32).toString('base64'),
    FINGERPRINT_KEY: randomBytes(32).toString('base64'),
    P4_TICKET: ticket,
  };
  mkdirSync(join(directory, 'secrets'), { mode: 0o700 });
  for (const [name, value] of Object.entries(secrets))
    writeFileSync(join(directory, 'secrets', name), value, { mode: 0o600 });
  return secrets;
}

/**
 * The demo's main job over the changes, every part the real one. Gives what was heard outside, and
 * what the host was told.
 */
export async function runReviews(
  directory: string,
  stores: Stores<unknown>,
  changes: Pick<SecretChanges, 'model' | 'numbers'>,
  mailServer: string,
) {
  const heard: Evidence[] = [];
  const model = await startModelServer();
  const listener = await startListener(model.origin, heard);
  const simulator = createP4Simulator(changes.model);
  const mail = await findOrStartMailServer(directory, { script: mailServer });
  const service = await createReviewService({
    directory,
    stores,
    p4: sampleConnection(directory, simulator),
    model: standInModel(listener.origin),
    mail: standInMail(mail.port),
    leaseMs: 30_000,
    onEvent: (event) => heard.push({ where: 'an event', text: JSON.stringify(event) }),
    ...observers(heard),
  });
  try {
    const jobs: string[] = [];
    for (const number of changes.numbers)
      jobs.push((await service.criticizer.submit({ serverId, number, reviewVersion: 1 })).job.id);
    // Nothing to review under this number: a failure's way through rows, log and dead letters.
    const [gone] = [await service.criticizer.submit({ serverId, number: 9_999_999, reviewVersion: 1 })];
    await service.criticizer.start();
    for (const id of [...jobs, gone.job.id])
      for (
        let status = await service.criticizer.status(id);
        status === null || !hasEnded(status);
        status = await service.criticizer.status(id)
      )
        await delay(50);
    const statuses = await Promise.all(jobs.map((id) => service.criticizer.status(id)));
    const reviews = await Promise.all(jobs.map((id) => service.criticizer.review(id)));
    return { heard, statuses, reviews };
  } finally {
    await service.close();
    listener.close();
    await model.close();
    simulator.dispose();
    await stopMailServer(directory);
  }
}
