import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { errorFacts, type Stores } from '@criticizer/core';
import type { ExpiringSecrets } from '@criticizer/core/ports';

/** One check: its numbers, or the code of what is wrong. */
export type Check = { ok: boolean; code?: string } & Readonly<Record<string, unknown>>;

/** Whether the service can take and do work, with every check by name. */
export interface Readiness {
  status: 'ready' | 'not ready';
  checks: Readonly<Record<string, Check>>;
}

/** A check that may take longer than 3 s, or less. */
export interface LimitedCheck {
  limitMs: number;
  run(): Promise<Check>;
}

/** The checks by name; each may reject. */
export type Checks = Readonly<Record<string, (() => Promise<Check>) | LimitedCheck>>;

const usualLimitMs = 3_000;

async function runCheck(check: Checks[string]): Promise<Check> {
  const { limitMs, run } = typeof check === 'function' ? { limitMs: usualLimitMs, run: check } : check;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Check>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, code: 'CHECK_TIMEOUT' }), limitMs);
  });
  try {
    return await Promise.race([run(), late]);
  } catch (error) {
    return { ok: false, code: errorFacts(error).code };
  } finally {
    clearTimeout(timer);
  }
}

/** Runs all checks at once; one that takes longer than its limit, 3 s where it has none, has failed. */
export async function readReadiness(checks: Checks): Promise<Readiness> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await runCheck(check)] as const),
  );
  const ready = results.every(([, { ok }]) => ok);
  return { status: ready ? 'ready' : 'not ready', checks: Object.fromEntries(results) };
}

/** The queue answers. */
export async function checkQueue(stores: Pick<Stores<unknown>, 'jobs'>): Promise<Check> {
  return { ok: true, ...(await stores.jobs.depth()) };
}

/** The clocks of host and database differ by no more than `budgetMs`. */
export async function checkClock(stores: Pick<Stores<unknown>, 'now'>, budgetMs: number): Promise<Check> {
  const before = Date.now();
  const now = await stores.now();
  const skewMs = Math.round((before + Date.now()) / 2 - now.getTime());
  return Math.abs(skewMs) <= budgetMs ? { ok: true, skewMs } : { ok: false, code: 'CLOCK_SKEW', skewMs };
}

/** Every folder can be written and has room; `freeMb` is that of the fullest. */
export async function checkDisk(folders: readonly string[], minFreeBytes: number): Promise<Check> {
  const free = await Promise.all(
    folders.map(async (folder) => {
      await access(folder, constants.W_OK);
      const { bavail, bsize } = await statfs(folder);
      return Math.floor((bavail * bsize) / 1_048_576);
    }),
  );
  const freeMb = Math.min(...free);
  return freeMb * 1_048_576 >= minFreeBytes ? { ok: true, freeMb } : { ok: false, code: 'DISK_FULL', freeMb };
}

/** What is known of the secrets: those that cannot be read, and those that are due for rotation. */
export interface SecretsCheck extends Check {
  missing?: readonly { secret: string; code: string }[];
  /** An old one is used as before, unless `SECRET_ON_EXPIRY` is `park`. */
  old?: readonly { secret: string; days: number; state: 'ageing' | 'expired' }[];
}

/** Every secret can be read; names those that cannot, and those that are due for rotation (SEC-5). */
export async function checkSecrets(
  secrets: readonly { label: string; source: ExpiringSecrets; name: string; ages: boolean }[],
): Promise<SecretsCheck> {
  const missing: { secret: string; code: string }[] = [];
  const old: { secret: string; days: number; state: 'ageing' | 'expired' }[] = [];
  for (const { label, source, name, ages } of secrets) {
    try {
      const { state, days } = await source.readAge(name);
      if (ages && days !== null && (state === 'ageing' || state === 'expired'))
        old.push({ secret: label, days, state });
    } catch (error) {
      missing.push({ secret: label, code: errorFacts(error).code });
    }
  }
  const aged = old.length === 0 ? {} : { old };
  return missing.length === 0 ? { ok: true, ...aged } : { ok: false, code: missing[0]?.code ?? '', missing, ...aged };
}

/** When each server was polled last, and whether that is recent. */
export interface PollLog {
  record(serverId: string): void;
  check(): Promise<Check>;
}

/** A server is polled in time when its last good poll is at most five pauses, and at least 3 minutes, old. */
export function createPollLog(
  servers: readonly { serverId: string; pollMs: number }[],
  now: () => number = Date.now,
): PollLog {
  const polledAt = new Map<string, number>();
  return {
    record: (serverId) => void polledAt.set(serverId, now()),
    async check() {
      const late = servers.filter(({ serverId, pollMs }) => {
        const at = polledAt.get(serverId);
        return at === undefined || now() - at > Math.max(180_000, 5 * pollMs);
      });
      const last = Object.fromEntries([...polledAt].map(([id, at]) => [id, new Date(at).toISOString()]));
      return late.length === 0
        ? { ok: true, last }
        : { ok: false, code: 'POLL_LATE', last, late: late.map(({ serverId }) => serverId) };
    },
  };
}
