import { randomBytes } from 'node:crypto';
import { Secret, type SecretSource } from '@criticizer/core';
import { afterEach, describe, expect, it } from 'vitest';
import { createTicketWatch, type TicketStatus } from '../src/index.js';
import { createP4Simulator, type P4Simulator, type P4SimulatorUser } from '../src/testing/index.js';

let simulator: P4Simulator | undefined;
afterEach(() => simulator?.dispose());

const newTicket = (): string => randomBytes(16).toString('hex').toUpperCase();

function setUp(user: Partial<P4SimulatorUser>, held: () => string) {
  const reviewer = { user: 'reviewer', email: 'r@mail.example', fullName: 'R' };
  const model = { changes: [], users: [{ ...reviewer, ...user }] };
  simulator = createP4Simulator(model);
  const said: string[] = [];
  const log =
    (level: string) =>
    (fields: object, message: string): void =>
      void said.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const changes: TicketStatus[] = [];
  const gauges: number[] = [];
  const source: SecretSource = {
    contract: 1,
    read: async () => ({ current: { secret: new Secret(held()), version: 'v' } }),
  };
  const watch = createTicketWatch({
    serverId: 'main',
    executable: simulator.executable,
    containment: 'accept-none',
    port: simulator.port,
    user: 'reviewer',
    ticket: { source, name: 'P4_TICKET' },
    securityEvents: { emit() {} },
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    telemetry: {
      count() {},
      record() {},
      gauge: (_name, value) => void gauges.push(value),
      startSpan: () => ({ setAttributes() {}, end() {} }),
    },
    onChange: (status) => void changes.push(status),
  });
  const update = (now: Partial<P4SimulatorUser>): void =>
    simulator?.update({ users: [{ ...reviewer, ...user, ...now }] });
  const alerts = () => said.filter((line) => !/^debug| p4 runs /.test(line));
  return { watch, update, changes, gauges, said, alerts };
}

describe('ticket watch', () => {
  it('INT-4: tells each change of the ticket once, however often it looks, and takes up a new one by itself', async () => {
    const [old, fresh] = [newTicket(), newTicket()];
    let held = old;
    const { watch, update, changes, gauges, alerts, said } = setUp(
      { ticket: old, ticketExpiresInS: 100 * 3_600 },
      () => held,
    );
    await watch.check();
    update({ ticketExpiresInS: 3_600 });
    for (let look = 0; look < 2; look += 1) await watch.check();
    update({ ticketExpired: true });
    for (let look = 0; look < 2; look += 1) await watch.check();
    held = fresh;
    update({ ticket: fresh, ticketExpiresInS: 100 * 3_600 });
    await watch.check();
    expect(changes.map(({ state, code }) => [state, code])).toEqual([
      ['valid', null],
      ['expiring', null],
      ['refused', 'P4_AUTH_EXPIRED'],
      ['valid', null],
    ]);
    expect(gauges).toEqual([360_000, 3_600, 3_600, 0, 0, 360_000]);
    expect(alerts().map((line) => line.split(' ')[0])).toEqual(['warn', 'error', 'info']);
    const everything = JSON.stringify([said, changes, simulator?.log()]);
    for (const ticket of [old, fresh]) expect(everything).not.toContain(ticket);
  });

  it('a server out of reach says nothing of the ticket', async () => {
    const ticket = newTicket();
    const { watch, changes } = setUp({ ticket }, () => ticket);
    await watch.check();
    simulator?.update({ port: 'elsewhere.invalid:1666' });
    await expect(watch.check()).rejects.toMatchObject({ code: 'P4_UNREACHABLE' });
    expect(changes.map(({ state }) => state)).toEqual(['expiring']); // the simulator's tickets last 11 h 59 min
    await watch.stop();
  });
});
