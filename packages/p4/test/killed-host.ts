// A service that runs a command which never ends under each rung named, until it is killed.
import { dirname } from 'node:path';
import { silentLogger, systemClock } from '@criticizer/core/ports';
import { createLocalRunner } from '../src/client/p4-local-runner.js';
import { createContainedSimulator, offeredRungs } from './contained-simulator.js';
import { smallModel } from './fetcher-setup.js';

const [, , port = '', ...titles] = process.argv;
const simulated = createContainedSimulator({ ...smallModel, port, fault: { kind: 'silent' } });
const { signal } = new AbortController();
for (const { title, rung } of offeredRungs()) {
  if (!titles.includes(title)) continue;
  const runner = createLocalRunner(
    {
      ...{ executable: simulated.simulator.executable, port, user: 'reviewer', containment: 'required' },
      ...{ securityEvents: { emit: () => undefined }, logger: silentLogger, clock: systemClock },
    },
    simulated.host([rung]),
  );
  void runner.run({
    ...{ command: { name: 'info', flags: ['-s'], operands: [] }, charset: 'none', ticket: null, signal },
    ...{ wallMs: 60_000, maxOutputBytes: 1_000, onOutput: () => undefined },
  });
}
// Under several rungs a client has the same number and may start in the same millisecond.
let seen = 0;
const waiting = setInterval(() => {
  seen += simulated.countLines(/"command":"info"/g);
  if (seen < titles.length) return;
  clearInterval(waiting);
  process.stdout.write(`running ${seen} ${dirname(simulated.simulator.executable)}\n`);
}, 20);
