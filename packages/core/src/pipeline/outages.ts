import type { Logger } from '../telemetry/logger.js';
import { attribute, metric } from '../telemetry/names.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import type { Clock } from '../time/clock.js';

/** Where work waits: a stage, or `mail` for the outbox; of one Perforce server where the work is about one. */
export interface OutagePlace {
  stage: string;
  serverId?: string | undefined;
}

/** Tells an operator of an outage once, not once per parked job and look (INT-4). */
export interface Outages {
  /** A piece of work was parked there; `code` says why. */
  parked(place: OutagePlace, code: string): void;
  /** A piece of work got through there: what parked others is over. */
  passed(place: OutagePlace): void;
}

interface Outage {
  place: OutagePlace;
  code: string;
  open: boolean;
  toldAtMs: number;
}

/** Of two things behind one stage only one may be out, and the other's work goes through: it is not told anew each time. */
const quietMs = 15 * 60_000;

/** One error in the log, and the gauge `criticizer.outage` at 1, when an outage begins; one line, and 0, when it is over. */
export function createOutages({ logger, telemetry, clock }: { logger: Logger; telemetry: Telemetry; clock: Clock }): Outages {
  const outages = new Map<string, Outage>();
  const keyOf = ({ stage, serverId = '' }: OutagePlace): string => `${stage} ${serverId} `;

  function show({ place: { stage, serverId }, code }: Outage, value: 0 | 1): void {
    const server = serverId === undefined ? {} : { [attribute.server]: serverId };
    telemetry.gauge(metric.outage, value, { [attribute.stage]: stage, ...server, [attribute.errorType]: code });
  }

  return {
    parked(place, code) {
      const key = keyOf(place) + code;
      const known = outages.get(key);
      if (known?.open === true) return;
      const now = clock.monotonicMs();
      const isNews = known === undefined || now - known.toldAtMs >= quietMs;
      const outage = { place, code, open: true, toldAtMs: isNews ? now : known.toldAtMs };
      outages.set(key, outage);
      show(outage, 1);
      if (isNews) logger.error({ ...place, code }, 'an outage parks this work: it spends no attempt and goes on by itself once it is over');
    },
    passed(place) {
      if (outages.size === 0) return;
      for (const [key, outage] of outages) {
        if (!outage.open || !key.startsWith(keyOf(place))) continue;
        outage.open = false;
        show(outage, 0);
        logger.info({ ...place, code: outage.code }, 'work goes through again after an outage');
      }
    },
  };
}
