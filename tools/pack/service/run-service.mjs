// Copied into the folder where the service is installed from tarballs; drives it as an operator does.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// What is installed in this folder, and what only the service depends on.
const load = createRequire(import.meta.url);
const { SMTPServer } = load('smtp-server');
const { createP4Simulator } = createRequire(load.resolve('@criticizer/example-review-service/package.json'))(
  '@criticizer/p4/testing',
);
/** On a machine that starts Node in `nodeStartMs`; one that is busy gets as much more as it takes longer. */
const readyWithinMs = 3_000;
const nodeStartMs = 60;
const top = mkdtempSync(join(tmpdir(), 'crit-service-run-'));
const must = (condition, message) => {
  if (!condition) throw new Error(message);
};
const key = () => randomBytes(32).toString('base64');

const path = '//depot/orders/src/total.js';
const change = (number, action) => ({
  ...{ number, user: 'ada', status: 'submitted', description: `Change ${number}` },
  files: [{ path, action, content: `const total = ${number};\n` }],
});
const model = {
  users: [{ user: 'ada', email: 'ada@example.test', fullName: 'Ada' }],
  changes: [change(10, 'add')],
};
const simulator = createP4Simulator(model);

const secrets = join(top, 'secrets');
mkdirSync(secrets, { mode: 0o700 });
const triggerSecret = key();
for (const [name, value] of Object.entries({
  ...{ ARTIFACT_KEY: key(), FINGERPRINT_KEY: key(), TRIGGER_SECRET: triggerSecret },
}))
  writeFileSync(join(secrets, name), value, { mode: 0o600 });

const version = (text, name) => new RegExp(`\\\\"${name}\\\\": \\\\"([0-9.]+)`).exec(text)?.[1];
let asked = 0;
let printed = '';
const chat = createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  asked += 1;
  // One finding: a review that has nothing to say makes no mail.
  const finding = {
    ...{ id: 'f1', severity: 'high', category: 'correctness', title: 'The total is a constant', file: path, line: 1 },
    ...{ end_line: null, message: 'It never changes.', suggestion: null, confidence: 'high', rule_id: null },
  };
  const review = {
    ...{ schema_version: version(body, 'schema_version'), prompt_version: version(body, 'prompt_version') },
    ...{ summary: 'One thing.', findings: [finding], meta: null },
  };
  const message = { role: 'assistant', content: JSON.stringify(review), refusal: null };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ id: '1', object: 'chat.completion', created: 0, model: 'm', choices, usage }));
}).listen(0, '127.0.0.1');
await once(chat, 'listening');

const mailed = [];
const smtp = new SMTPServer({
  ...{ authOptional: true, disabledCommands: ['AUTH', 'STARTTLS'], disableReverseLookup: true, logger: false },
  onData(stream, session, done) {
    stream.resume().on('end', () => {
      mailed.push(session.envelope.rcptTo[0].address);
      done();
    });
  },
});
const mailServer = smtp.listen(0, '127.0.0.1');
await once(mailServer, 'listening');

const env = {
  ...{ PATH: process.env.PATH, DATA_DIR: join(top, 'data'), SECRETS_DIR: secrets, HTTP_PORT: '0', MIN_FREE_MB: '1' },
  ...{ P4PORT: simulator.port, P4USER: 'reviewbot', P4_EXECUTABLE: simulator.executable, ALLOW: '//depot/orders/...' },
  ...{ LLM_PROTOCOL: 'openai-chat', LLM_BASE_URL: `http://127.0.0.1:${chat.address().port}/v1`, LLM_MODEL: 'm' },
  ...{ SMTP_URL: `smtp://127.0.0.1:${mailServer.address().port}`, MAIL_FROM: 'reviews@example.test' },
  ...{ MAIL_DOMAINS: 'example.test', POLL_SECONDS: '1' },
};

async function until(what, check) {
  for (let tries = 0; tries < 1_500; tries += 1) {
    if (await check()) return;
    await sleep(20);
  }
  throw new Error(`it did not happen: ${what}`);
}

/** Milliseconds that an empty program takes here and now, at best of five. */
function measureNodeStart() {
  const times = Array.from({ length: 5 }, () => {
    const from = performance.now();
    execFileSync(process.execPath, ['--eval', '0']);
    return performance.now() - from;
  });
  return Math.min(...times);
}

/** Starts the service, has one change reviewed, stops it. Gives the milliseconds to ready. */
async function runOnce(delivery, number) {
  const startedAt = performance.now();
  const child = spawn(join('node_modules', '.bin', 'criticizer'), ['serve'], {
    env: { ...env, DELIVERY: delivery },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  const closed = once(child, 'close');
  await until('listening', () => out.includes('"listening"'));
  const { url } = JSON.parse(out.split('\n')[0]);
  await until('ready', async () => (await fetch(`${url}/ready`)).status === 200);
  const readyMs = performance.now() - startedAt;
  model.changes.push(change(number, 'edit'));
  simulator.update({ changes: model.changes });
  const told = await fetch(`${url}/servers/main/changes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${triggerSecret}` },
    body: JSON.stringify({ change: number }),
  });
  must(told.status === 200, `the trigger was answered ${told.status}`);
  const delivered = /criticizer_mail_delivery_total\{criticizer_outcome="sent"[^}]*\} 1/;
  await until('delivered', async () => delivered.test(await (await fetch(`${url}/metrics`)).text()));
  child.kill('SIGTERM');
  const [code] = await closed;
  must(code === 0, `SIGTERM: exit code ${code}\n${out}`);
  printed = out.trim();
  return Math.round(readyMs);
}

try {
  const shadow = await runOnce('shadow', 11);
  must(mailed.length === 0, 'somebody was mailed in the shadow');
  const redirected = await runOnce('redirect:lead@example.test', 12);
  must(mailed.join() === 'lead@example.test', `redirected to ${mailed}`);
  const live = await runOnce('live', 13);
  must(mailed.join() === 'lead@example.test,ada@example.test', `mailed to ${mailed}`);
  must(asked === 3, `${asked} requests to the model`);
  console.log(`ready after ${shadow}, ${redirected}, ${live} ms; mailed to ${mailed.join(', ')}`);
  console.log(`what the last run printed, to SIGTERM and exit code 0:\n${printed}`);
  const best = Math.min(shadow, redirected, live);
  const slowdown = Math.max(1, measureNodeStart() / nodeStartMs);
  const limit = Math.round(readyWithinMs * slowdown);
  console.log(
    `ready after ${best} ms at best; at most ${limit}, as Node starts ${slowdown.toFixed(1)} times slower here`,
  );
  must(best < limit, `ready after ${best} ms at best, not within ${limit}`);
} finally {
  chat.close();
  chat.closeAllConnections();
  smtp.close();
  simulator.dispose();
  rmSync(top, { recursive: true, force: true });
}
