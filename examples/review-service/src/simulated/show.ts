// npm run example:review-service [-- --once | doctor]
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobEvent, Logger } from '@criticizer/core';
import { type P4DoctorOptions, renderDoctorReport, runP4Doctor } from '@criticizer/p4';
import { openStores } from './open-show-stores.js';
import { doctorOptions, makePlace, type Place, serverId, startSimulatedService } from './simulated-service.js';
import { makeServer, shelved, submitted } from './stand-ins.js';

const help = `usage: npm run example:review-service [-- OPTION]

Shows the review service with everything that is outside of it on this machine: it watches a simulated Perforce server, takes
triggers by HTTP, reviews and mails. DATABASE_URL chooses PostgreSQL; without it the queue is a SQLite file in a temporary
folder. The service on your own server is: npm run service -- --help

  --once    ends when the two changes of the show have been mailed
  doctor    looks at the simulated server and says what is wrong with it
`;

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const warn = (fields: object, message: string): void =>
  void process.stderr.write(`${message} ${JSON.stringify(fields)}\n`);
const logger: Logger = { debug: () => undefined, info: () => undefined, warn, error: warn };

// #region doctor
async function doctor(options: P4DoctorOptions): Promise<number> {
  const report = await runP4Doctor(options);
  process.stdout.write(renderDoctorReport(report));
  return report.healthy ? 0 : 1;
}
// #endregion

/** What `p4d` does when a shelf is made: its trigger posts the number. */
async function postTrigger(url: string, secret: string, change: number): Promise<string> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}/servers/${serverId}/changes`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ change }),
  });
  return `${response.status} ${(await response.text()).trim()}`;
}

async function serve(place: Place, onlyOnce: boolean, stopped: Promise<unknown>): Promise<number> {
  await using opened = openStores(place.directory, process.env['DATABASE_URL']);
  let reviewed = 0;
  let allReviewed: () => void = () => undefined;
  const both = new Promise<void>((resolve) => {
    allReviewed = resolve;
  });
  const onEvent = (event: JobEvent): void => {
    if (event.type !== 'stage.ended') return;
    print(`  ${event.jobId.slice(-8)}  ${event.stage}: ${event.outcome}`);
    if (event.outcome === 'done') reviewed += 1;
    if (reviewed === 2) allReviewed();
  };
  const { stores } = opened;
  await using service = await startSimulatedService(place, {
    stores,
    logger,
    onEvent,
    settings: { worker: { pollMaxMs: 500 }, watch: { quietMs: 0 } },
  });
  print(`queue: ${opened.where}\nendpoints: POST ${service.url}/servers/${serverId}/changes, GET ${service.url}/ready`);
  await service.watcher.poll(); // behind this begins what is new
  const changes = [...makeServer('').changes, submitted(11, 'const total = 1;\n'), shelved(12, 'const total = 2;\n')];
  place.simulator.update({ changes });
  print('change 11 was submitted: the watcher finds it. Change 12 was shelved: a trigger tells of it');
  print(`trigger: ${await postTrigger(service.url, place.triggerSecret, 12)}`);
  await Promise.race([both, stopped]);
  for (const { mail } of service.mailer.accepted()) print(`mailed to ${mail.to.address}: ${mail.subject}`);
  if (!onlyOnce) print('Ctrl-C ends it');
  if (!onlyOnce) await stopped;
  return 0;
}

const interrupted = Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)));
const [argument = ''] = process.argv.slice(2);
if (!['', '--once', 'doctor'].includes(argument)) {
  process.stderr.write(help);
  process.exitCode = 2;
} else {
  const directory = mkdtempSync(join(tmpdir(), 'criticizer-review-service-'));
  const place = makePlace(directory);
  try {
    process.exitCode =
      argument === 'doctor'
        ? await doctor(doctorOptions(place))
        : await serve(place, argument === '--once', interrupted);
  } finally {
    place.dispose();
    rmSync(directory, { recursive: true, force: true });
  }
}
