import { CriticizerError } from '../src/foundation/errors.js';
import type { Alert } from '../src/pager/alert.js';
import type { Pager, PagerAnswer, PagerContext } from '../src/pager/pager.js';

/** What happens to one message on its way. */
export type Fate =
  | 'taken'
  /** It arrives, and its answer does not. */
  | 'loses-reply'
  /** It does not arrive. */
  | 'unreachable'
  /** A clear no. */
  | 'refused'
  /** The process dies before it has sent, or after. */
  | 'dies-before'
  | 'dies-after';

/** A pager service as PagerDuty describes itself: a trigger of a key that is open changes nothing. */
export interface IncidentDesk {
  /** Pages by key: how often somebody was woken. */
  pages: Map<string, number>;
  open: Set<string>;
  /** Every message that arrived, in order. */
  log: string[];
  /** A pager of one process. `fate` gives what becomes of its next message; `die` ends the process. */
  pager(id: string, fate: () => Fate, die: () => Promise<never>): Pager;
}

export function createIncidentDesk(): IncidentDesk {
  const pages = new Map<string, number>();
  const open = new Set<string>();
  const log: string[] = [];

  function arrive(action: 'trigger' | 'resolve', { key }: Alert): void {
    log.push(`${action} ${key}`);
    if (action === 'resolve') return void open.delete(key);
    if (!open.has(key)) pages.set(key, (pages.get(key) ?? 0) + 1);
    open.add(key);
  }

  function pager(id: string, fate: () => Fate, die: () => Promise<never>): Pager {
    const call =
      (action: 'trigger' | 'resolve') =>
      async (alert: Alert, context: PagerContext): Promise<PagerAnswer> => {
        const what = fate();
        if (what === 'dies-before') return die();
        await context.beforeSend({ host: 'pager.invalid', bytes: Buffer.from(alert.key) });
        if (what === 'unreachable') throw new CriticizerError('NETWORK_RESET', 'reset', { category: 'network' });
        if (what === 'refused') return { kind: 'refused', failure: { code: 'HTTP_REJECTED', message: 'no' } };
        arrive(action, alert);
        if (what === 'dies-after') return die();
        if (what === 'loses-reply') throw new CriticizerError('NETWORK_RESET', 'reset', { category: 'network' });
        return { kind: 'taken' };
      };
    return { contract: 1, id, trigger: call('trigger'), resolve: call('resolve') };
  }

  return { pages, open, log, pager };
}
