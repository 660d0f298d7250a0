// Credentials of all three peers are rotated while reviews run: in turn, with an overlap, and in an emergency.
import { randomBytes } from 'node:crypto';
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeServer, submitted } from '../src/simulated/stand-ins.js';
import type { RealEndpoints } from './real-endpoints.js';
import {
  closeServices,
  openEndpoints,
  openQueue,
  type Service,
  startService,
  submit,
  waiting,
} from './running-service.js';

afterEach(closeServices);

/** Reviews that run while a credential changes. */
const atOnce = 2;
const atOnce200 = Array.from({ length: atOnce }, () => 200);

const makeValue = (): string => randomBytes(16).toString('hex').toUpperCase();
const secretFile = ({ place }: RealEndpoints, name: string): string => join(place.directory, 'secrets', name);
const write = (endpoints: RealEndpoints, name: string, value: string): void =>
  writeFileSync(secretFile(endpoints, name), value, { mode: 0o600 });

/** Changes that stay on the server, as more come. */
function createLoad(endpoints: RealEndpoints, service: Service) {
  const changes = [...makeServer('').changes];
  let last = 10;
  return {
    /** Puts changes on the server and has the trigger tell of each; gives the answers. */
    async submit(count: number): Promise<number[]> {
      const numbers = Array.from({ length: count }, () => ++last);
      changes.push(...numbers.map((number) => submitted(number, `const total = ${number};\n`)));
      endpoints.place.simulator.update({ changes });
      const told = await Promise.all(numbers.map((number) => service.tell(endpoints.place.triggerSecret, number)));
      return told.map(({ status }) => status);
    },
    tellLast: async () => (await service.tell(endpoints.place.triggerSecret, last)).status,
    mailed: (count: number) => vi.waitFor(() => expect(endpoints.mails).toHaveLength(count), waiting),
  };
}

describe('credentials of a running service', { timeout: 120_000 }, () => {
  it('SEC-5: jobs flow while the credentials of model, mail server and Perforce are rotated, and none fails', async () => {
    const [old, next, urgent] = [makeValue(), makeValue(), makeValue()];
    /** What each peer accepts now, and what it accepted so far. */
    const takes = { model: [old], mail: [old] };
    const taken = { model: new Set<string>(), mail: new Set<string>() };
    const endpoints = await openEndpoints((peer, value) => {
      const accepted = takes[peer].includes(value);
      if (accepted) taken[peer].add(value);
      return accepted;
    });
    const takeTicket = (ticket: string) => endpoints.place.simulator.update({ users: makeServer(ticket).users });
    const names = ['LLM_KEY', 'SMTP_PASSWORD', 'P4_TICKET'] as const;
    for (const name of names) write(endpoints, name, old);
    takeTicket(old);
    // Triggers tell of every change: polls would only take time from the reviews.
    const service = await startService({ ...endpoints.env, DELIVERY: 'live', POLL_SECONDS: '3600' });
    await service.ready();
    const stores = openQueue(endpoints);
    const load = createLoad(endpoints, service);

    // The files first, while reviews run: the peers still want what is the previous version now.
    expect(await load.submit(atOnce)).toEqual(atOnce200);
    for (const name of names) {
      write(endpoints, `${name}_PREVIOUS`, old);
      write(endpoints, name, next);
    }
    await load.mailed(atOnce);
    // The overlap: both are taken; then, while reviews run, the new one alone.
    takes.model = [old, next];
    takes.mail = [old, next];
    expect(await load.submit(atOnce)).toEqual(atOnce200);
    takes.model = [next];
    takes.mail = [next];
    takeTicket(next);
    await load.mailed(2 * atOnce);
    expect([taken.model.has(next), taken.mail.has(next)]).toEqual([true, true]);

    // An emergency: model and mail server refuse all that the service has, at once. Work waits for the new values.
    const rewrite = (name: string): void => {
      write(endpoints, name, urgent);
      rmSync(secretFile(endpoints, `${name}_PREVIOUS`));
    };
    const waitsFor = (code: string) =>
      vi.waitFor(async () => {
        const rows = [...(await stores.jobs.list({})), ...(await stores.outbox.list({}))];
        expect(rows.map(({ waitingFor }) => waitingFor)).toContain(code);
      }, waiting);
    takes.model = [urgent];
    takes.mail = [urgent];
    expect(await load.submit(1)).toEqual([200]);
    await waitsFor('AUTH_DENIED');
    rewrite('LLM_KEY');
    await waitsFor('SMTP_AUTH');
    expect(endpoints.mails).toHaveLength(2 * atOnce);
    rewrite('SMTP_PASSWORD');
    await load.mailed(2 * atOnce + 1);
    // Without a ticket no trigger can be answered; the server asks again, as triggers do.
    takeTicket(urgent);
    expect(await load.submit(1)).toEqual([503]);
    rewrite('P4_TICKET');
    await vi.waitFor(async () => expect(await load.tellLast()).toBe(200), waiting);
    await load.mailed(2 * atOnce + 2);

    expect([taken.model.has(urgent), taken.mail.has(urgent)]).toEqual([true, true]);
    await vi.waitFor(async () => expect((await stores.jobs.stats()).completed).toBe(2 * atOnce + 2), waiting);
    const jobs = await stores.jobs.list({});
    expect(jobs.map(({ attempts }) => attempts)).toEqual(jobs.map(() => ({ fetch: 1, llm: 1, notify: 1 })));
    expect(await stores.deadLetters.list({})).toEqual([]);
  });

  it('SEC-5: an expired key is told of once, and by choice parks before anything is spent', async () => {
    const endpoints = await openEndpoints();
    const ago = new Date(Date.now() - 91 * 86_400_000);
    utimesSync(secretFile(endpoints, 'LLM_KEY'), ago, ago);
    const service = await startService({ ...endpoints.env, DELIVERY: 'live', SECRET_ON_EXPIRY: 'park' });
    await service.ready();
    await submit(endpoints, service, 11);
    const stores = openQueue(endpoints);
    const now = async () => (await stores.jobs.list({}))[0];
    await vi.waitFor(async () => expect((await now())?.waitingFor).toBe('SECRET_EXPIRED'), waiting);
    const { checks } = JSON.parse((await service.read('/ready')).text);
    expect(checks.secrets).toEqual({ ok: true, old: [{ secret: 'LLM_KEY_FILE', days: 91, state: 'expired' }] });
    expect((await service.read('/metrics')).text).toMatch(
      /criticizer_secret_age\{[^}]*="LLM_KEY_FILE"[^}]*\} 78624\d\d/,
    );
    expect(service.lines.filter((line) => line.includes('secret.expired'))).toHaveLength(1);
    expect([endpoints.model.bodies.length, endpoints.model.refused]).toEqual([0, 0]);
    endpoints.writeKey();
    await vi.waitFor(async () => expect((await now())?.status).toBe('completed'), waiting);
    expect((await now())?.attempts).toEqual({ fetch: 1, llm: 1, notify: 1 });
  });
});
