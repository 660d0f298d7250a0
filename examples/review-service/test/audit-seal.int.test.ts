// The service seals what an operator did; the owner of the file changes a row, and the commands name it.
import { spawnSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentLogger } from '@criticizer/core';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runService } from '../src/compose/run-service.js';
import { readConfiguration } from '../src/config/configuration.js';
import { runCommand as run } from './run-command.js';
import { closeServices, openEndpoints, openQueue, startService, waiting } from './running-service.js';

afterEach(closeServices);

const script = fileURLToPath(new URL('../../../packages/core/bin/verify-audit-export.mjs', import.meta.url));

/** Endpoints with a key and a checkpoint in their environment, and the public key. */
async function openSealed() {
  const endpoints = await openEndpoints();
  const at = (name: string): string => join(endpoints.place.directory, name);
  const { privateKey } = generateKeyPairSync('ed25519');
  const secret = join(endpoints.env['SECRETS_DIR'] ?? '', 'AUDIT_SEAL_KEY');
  writeFileSync(secret, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  writeFileSync(at('public.pem'), createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }));
  const files = { AUDIT_SEAL_KEY_FILE: secret, AUDIT_SEAL_CHECKPOINT_FILE: at('elsewhere/checkpoint.jsonl') };
  const env = Object.assign(endpoints.env, { ...files, AUDIT_SEAL_SECONDS: '1' });
  return { endpoints, env, at, secret };
}

describe('the service and its seals', { timeout: 60_000 }, () => {
  it('AUD-1: it seals what was done; a row that the file’s owner changed is named, here and offline', async () => {
    const { endpoints, env, at } = await openSealed();
    const verify = (...more: string[]) => run(env, 'audit', 'verify', '--public-key', at('public.pem'), ...more);
    await run(env, 'migrate');
    expect(await verify()).toMatchObject({ code: 2, text: expect.stringContaining('is not there') });
    const service = await startService(env);
    expect((await run(env, 'stop', '--providers', 'telemetry:host', '--reason', 'a drill')).code).toBe(0);
    const stores = openQueue(endpoints);
    const sealedEvents = async (): Promise<string[]> => {
      const seals = await stores.auditSeals.list({});
      const leaves = await Promise.all(seals.map(({ seq }) => stores.auditSeals.listLeaves(seq)));
      return leaves.flat().map(({ leaf }) => leaf.eventId);
    };
    const [stopped] = await stores.audit.list({ action: 'egress.kill_switch.set' });
    if (stopped === undefined) throw new Error('it was recorded');
    await vi.waitFor(async () => expect(await sealedEvents()).toContain(stopped.id), waiting);
    await service.stop();

    const whole = await verify();
    expect(whole).toMatchObject({ code: 0, text: expect.stringMatching(/^intact: \d+ seals over \d+ events, /) });
    expect(whole.text).toMatch(/^The checkpoint ends at seal [1-9]/m);
    const exported = at('trail.jsonl');
    const written = await run(env, 'audit', 'seal-export', exported);
    expect(written).toMatchObject({ code: 0, text: expect.stringMatching(/^Wrote \d+ seals, \d+ sealed events and /) });
    expect(statSync(exported).mode & 0o077).toBe(0);
    expect((await run(env, 'audit', 'seal-export', exported)).code).toBe(2);
    const offline = [script, exported, '--key', at('public.pem'), '--checkpoint', at('elsewhere/checkpoint.jsonl')];
    expect(spawnSync(process.execPath, offline).status).toBe(0);

    const owner = new DatabaseSync(join(env['DATA_DIR'] ?? '', 'queue.sqlite'));
    owner.exec('DROP TRIGGER audit_events_immutable');
    owner.prepare("UPDATE audit_events SET actor_id = 'mallory' WHERE id = ?").run(stopped.id);
    owner.close();
    const changed = await verify();
    expect(changed.code).toBe(1);
    expect(changed.text).toMatch(/^not intact, 1 found: /);
    expect(changed.text).toMatch(new RegExp(`^event-edited {2}seal \\d+ leaf \\d+ {2}${stopped.id} {2}`, 'm'));
    rmSync(exported);
    expect((await run(env, 'audit', 'seal-export', exported)).code).toBe(0);
    const found = spawnSync(process.execPath, offline, { encoding: 'utf8' });
    expect([found.status, found.stdout.includes(stopped.id)]).toEqual([1, true]);
  });

  it('AUD-1: a key that is none ends the start; a checkpoint without a key, and keys not named, are usage', async () => {
    const { env, at, secret } = await openSealed();
    writeFileSync(secret, 'no key', { mode: 0o600 });
    const signal = new AbortController().signal;
    const started = runService(readConfiguration(env), { intake: false, work: true }, { logger: silentLogger, signal });
    await expect(started).rejects.toThrow('must be an Ed25519 private key');
    await run(env, 'migrate');
    const checkpoint = ['--checkpoint', at('public.pem')];
    const unsealed = await run(env, 'audit', 'verify', '--public-key', at('public.pem'), ...checkpoint);
    expect(unsealed).toMatchObject({ code: 3, text: expect.stringContaining('line 1 is no seal') });
    for (const wrong of [['verify'], ['verify', '--public-key', at('none.pem')], ['seal-export']])
      expect((await run(env, 'audit', ...wrong, ...checkpoint)).code, wrong.join(' ')).toBe(2);
    const keyless = { ...env, AUDIT_SEAL_KEY_FILE: '' };
    expect(await run(keyless, 'doctor')).toMatchObject({
      code: 2,
      text: expect.stringContaining('AUDIT_SEAL_CHECKPOINT_FILE: is set without AUDIT_SEAL_KEY_FILE'),
    });
  });
});
