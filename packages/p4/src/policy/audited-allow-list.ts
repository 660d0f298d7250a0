import type { AuditEntry, AuditTrail } from '@criticizer/core/audit';
import {
  checkActor,
  checkedElsewhere,
  checkFields,
  checkName,
  checkOptions,
  type OptionShape,
  withMethods,
} from '@criticizer/core/internal';
import { type Actor, CriticizerError, type JsonObject, type Stores } from '@criticizer/core/ports';
import { z } from 'zod';
import { type AllowList, type AllowListOptions, createAllowList } from './allow-list.js';

/** The configured allow-list, who answers for it, and where its last version is kept. */
export interface AuditedAllowListOptions<Tx> {
  /** As the change fetcher's; each server has a list of its own. */
  serverId: string;
  /** The rules of the configuration: they hold from the start, whatever was changed at run time before. */
  configured: AllowListOptions;
  /** Who answers for the configuration: the account that deploys it. */
  actor: Actor;
  /** Where the list that was recorded last is kept, in one transaction with its audit event. */
  stores: Pick<Stores<Tx>, 'cursors' | 'transaction'>;
  /** On the same stores. */
  audit: AuditTrail<Tx>;
}

/** An allow-list whose rules can be changed while it is in use, and never without an audit event (P4-6). */
export interface AuditedAllowList extends AllowList {
  /**
   * Records who changed what and why, then lets the new rules hold in this process: from the next
   * fetch and the next poll on. Other processes go on with theirs, so change the configuration too.
   * Rejects with `P4_ALLOW_LIST_UNRECORDED`, and changes nothing, where it cannot be recorded; with
   * a `TypeError` for rules or an actor it does not accept.
   */
  change(
    rules: Pick<AllowListOptions, 'allow' | 'deny'>,
    by: { actor: Actor; reason: string },
  ): Promise<'changed' | 'unchanged'>;
}

/** The rules as they stand in the store. */
interface RecordedRules {
  fingerprint: string;
  allow: readonly string[];
  deny: readonly string[];
}

const recordedSchema = z.object({ fingerprint: z.string(), allow: z.array(z.string()), deny: z.array(z.string()) });
/** What fits a cursor's value, with room for quotes. */
const maxRuleCharacters = 50_000;
const tries = 5;

const optionShape: OptionShape<AuditedAllowListOptions<unknown>> = {
  serverId: checkName,
  configured: checkedElsewhere,
  actor: checkActor,
  stores: withMethods('transaction'),
  audit: withMethods('record'),
};

// long: the verbs of the list, each short, over one cache
/**
 * Makes the list of the configuration and compares it with the one recorded last: a difference is
 * audited under the configured actor before the list may be used (ruling R14). Rejects with
 * `P4_ALLOW_LIST_UNRECORDED` where that fails, so that no unrecorded list is ever in force; throws
 * `TypeError` for wrong rules.
 */
export async function openAuditedAllowList<Tx>(options: AuditedAllowListOptions<Tx>): Promise<AuditedAllowList> {
  checkOptions('openAuditedAllowList', options, optionShape);
  const { serverId, stores, audit } = options;
  const name = `p4/${serverId}/allow-list`;
  let current = checkedList(options.configured);
  let changing: Promise<unknown> = Promise.resolve();

  async function recordOnce(
    next: AllowList,
    entry: Omit<AuditEntry, 'payload'>,
    why: JsonObject,
  ): Promise<'recorded' | 'equal' | 'moved'> {
    const text = await stores.cursors.get(name);
    const before = text === null ? null : readRules(text);
    if (before?.fingerprint === next.fingerprint) return 'equal';
    const after = rulesOf(next);
    const payload = { ...why, before, after, ...differences(before, after) };
    return stores
      .transaction(async (tx): Promise<'recorded'> => {
        const recorded = await audit.record({ ...entry, payload }, { tx });
        if (recorded.degraded) throw unrecorded(serverId, recorded);
        if ((await stores.cursors.advance(name, text, JSON.stringify(after), { tx })) === 'moved') throw new Moved();
        return 'recorded';
      })
      .catch((error: unknown) => {
        if (error instanceof Moved) return 'moved'; // rolled back: another process recorded a list since
        throw error;
      });
  }

  async function record(next: AllowList, actor: Actor, why: JsonObject): Promise<boolean> {
    const target = { targetType: 'p4.allow_list', targetId: serverId } as const;
    const entry = {
      actorType: actor.type,
      actorId: actor.id,
      action: 'p4.allow_list.change',
      resultStatus: 'success',
      ...target,
    } as const;
    for (let attempt = 0; attempt < tries; attempt += 1) {
      const outcome = await recordOnce(next, entry, why);
      if (outcome !== 'moved') return outcome === 'recorded';
    }
    throw unrecorded(serverId, null);
  }

  await record(current, options.actor, { source: 'configuration' });
  return {
    get allow() {
      return current.allow;
    },
    get deny() {
      return current.deny;
    },
    get caseHandling() {
      return current.caseHandling;
    },
    get fingerprint() {
      return current.fingerprint;
    },
    check: (path) => current.check(path),
    // One fetch is judged by one list, whatever changes meanwhile.
    forServer: (caseHandling) => current.forServer(caseHandling),
    async change(rules, by) {
      checkFields<typeof by>('change: by', by, { actor: checkActor, reason: checkName });
      const { actor, reason } = by;
      const next = checkedList({ ...rules, caseHandling: options.configured.caseHandling });
      // One after the other: what is recorded last is what holds.
      const changed = changing.then(async () => {
        const recorded = await record(next, actor, { source: 'api', reason });
        current = next;
        return recorded ? 'changed' : 'unchanged';
      });
      changing = changed.catch(() => undefined);
      return changed;
    },
  };
}

/** Undoes the transaction of the one who came second. */
class Moved extends Error {}

function checkedList(rules: AllowListOptions): AllowList {
  const list = createAllowList(rules);
  if ([...list.allow, ...list.deny].join('').length > maxRuleCharacters)
    throw new TypeError(
      `allowList: expected rules of ${maxRuleCharacters} characters in all, at most; name directories instead of files`,
    );
  return list;
}

const rulesOf = ({ fingerprint, allow, deny }: AllowList): RecordedRules & JsonObject => ({
  fingerprint,
  allow: [...allow],
  deny: [...deny],
});

/** A record that cannot be read is told as such, and replaced. */
function readRules(text: string): (RecordedRules & JsonObject) | { fingerprint: '' } {
  try {
    return recordedSchema.parse(JSON.parse(text));
  } catch {
    return { fingerprint: '' };
  }
}

function differences(before: Partial<RecordedRules> | null, after: RecordedRules): JsonObject {
  const without = (rules: readonly string[], others: readonly string[]): string[] =>
    rules.filter((rule) => !others.includes(rule));
  const changed = (kind: 'allow' | 'deny') => {
    const was = before?.[kind] ?? [];
    return { added: without(after[kind], was), removed: without(was, after[kind]) };
  };
  return { allowed: changed('allow'), denied: changed('deny') };
}

function unrecorded(serverId: string, degraded: { errorCode: string; logFallback(): void } | null): CriticizerError {
  degraded?.logFallback();
  const says = 'The change of the allow-list could not be recorded, so it does not hold.';
  const details = { serverId, errorCode: degraded?.errorCode ?? 'CONTENDED' };
  return new CriticizerError('P4_ALLOW_LIST_UNRECORDED', says, { category: 'conflict', details });
}
