import type { JsonObject, JsonValue } from '../../foundation/json.js';
import type { Clock } from '../../foundation/time/clock.js';
import type { Logger } from '../../telemetry/logger.js';
import { attribute, metric } from '../../telemetry/names.js';
import type { Telemetry } from '../../telemetry/telemetry.js';

/**
 * Where work waits: a stage, or `mail` for the outbox; of one Perforce server where the work is
 * about one, of one mailer where it is a row of the outbox.
 */
export interface OutagePlace {
  stage: string;
  serverId?: string | undefined;
  mailer?: string | undefined;
}

/** What a breaker guards: a Perforce server, a model provider, a destination of audit events. */
export type Dependency =
  | { stage: 'fetch'; serverId: string }
  | { stage: 'llm'; provider: string }
  | { stage: 'audit'; sink: string };

/** Reports an outage to an operator once, not once per parked job and look (INT-4). */
export interface Outages {
  /**
   * A piece of work was parked there; `code` says why. `details` are the failure's: where they name
   * a dependency, or the secret that is missing, rejected or unusable, that is what is out,
   * wherever the work waits.
   */
  parked(place: OutagePlace, code: string, details?: JsonObject): void;
  /**
   * A piece of work got through there: what parked others there is over, but for dependencies,
   * which their breakers watch.
   */
  passed(place: OutagePlace): void;
  /** The dependency answers again. */
  recovered(dependency: Dependency): void;
}

/** What an operator is told of one outage. */
export type OutageFields = OutagePlace & {
  provider?: string | undefined;
  sink?: string | undefined;
  secret?: string | undefined;
  code: string;
};

interface Outage {
  fields: OutageFields;
  /** Where work waits for it. */
  places: Set<string>;
  /** The breaker that watches it; undefined where the next work that gets through ends it. */
  dependency: string | undefined;
  isOpen: boolean;
  lastLoggedAtMs: number;
}

/**
 * Of two things behind one stage only one may be out, and the other's work goes through: a flicker
 * is not logged anew each time.
 */
const relogAfterMs = 15 * 60_000;

/** Waits that the host's own settings ask for: nothing is out. */
const deliberateWaits: ReadonlySet<string> = new Set(['LLM_RATE_LIMITED']);

const keyOfPlace = ({ stage, serverId = '', mailer = '' }: OutagePlace): string => `${stage} ${serverId} ${mailer}`;
function keyOfDependency(dependency: Dependency): string {
  if (dependency.stage === 'fetch') return `server ${dependency.serverId}`;
  return dependency.stage === 'llm' ? `provider ${dependency.provider}` : `sink ${dependency.sink}`;
}

/** A secret is named by its file or variable, which codes of secret sources and key rings put into the details. */
function readSecretName(code: string, details: JsonObject): string | undefined {
  const name = details['name'] ?? details['variable'];
  return /^(SECRET|KEY)_/.test(code) && typeof name === 'string' ? name : undefined;
}

/** The dependency that a breaker put into the details of what it threw. */
function readDependency({ dependency }: JsonObject): Dependency | undefined {
  const { stage, serverId, provider, sink } =
    ((typeof dependency === 'object' ? dependency : null) as Partial<Record<string, JsonValue>> | null) ?? {};
  if (stage === 'fetch' && typeof serverId === 'string') return { stage, serverId };
  if (stage === 'audit' && typeof sink === 'string') return { stage, sink };
  return stage === 'llm' && typeof provider === 'string' ? { stage, provider } : undefined;
}

/** What is out, and the key under which it is one outage. */
function identify(
  place: OutagePlace,
  code: string,
  details: JsonObject,
): { key: string; fields: OutageFields; dependency?: string } {
  const dependency = readDependency(details);
  if (dependency !== undefined) {
    const key = keyOfDependency(dependency);
    return { key, fields: { ...dependency, code }, dependency: key };
  }
  const secret = readSecretName(code, details);
  if (secret !== undefined) return { key: `secret ${secret} ${code}`, fields: { ...place, secret, code } };
  return { key: `place ${keyOfPlace(place)} ${code}`, fields: { ...place, code } };
}

// long: the three reports of one set of outages, each short
/**
 * One error in the log, and the gauge `criticizer.outage` at 1, when an outage begins; one line,
 * and 0, when it is over.
 */
export function createOutages({
  logger,
  telemetry,
  clock,
  onChange,
}: {
  logger: Logger;
  telemetry: Telemetry;
  clock: Clock;
  /** Receives each outage whenever it parks something, and as it ends. */
  onChange?: ((outage: OutageFields, isOpen: boolean) => void) | undefined;
}): Outages {
  const outages = new Map<string, Outage>();

  function show({ stage, serverId, provider, sink, code }: OutageFields, value: 0 | 1): void {
    const server = serverId === undefined ? {} : { [attribute.server]: serverId };
    const model = provider === undefined ? {} : { [attribute.llmProvider]: provider };
    const destination = sink === undefined ? {} : { [attribute.messagingDestination]: sink };
    telemetry.gauge(metric.outage, value, {
      [attribute.stage]: stage,
      ...server,
      ...model,
      ...destination,
      [attribute.errorType]: code,
    });
  }

  function end(outage: Outage): void {
    outage.isOpen = false;
    outage.places.clear();
    show(outage.fields, 0);
    onChange?.(outage.fields, false);
    logger.info({ event: 'outage.over', ...outage.fields }, 'work goes through again after an outage');
  }

  return {
    parked(place, code, details = {}) {
      if (deliberateWaits.has(code)) return;
      const { key, fields, dependency } = identify(place, code, details);
      const known = outages.get(key);
      known?.places.add(keyOfPlace(place));
      onChange?.(known?.isOpen === true ? known.fields : fields, true);
      if (known?.isOpen === true) return;
      const now = clock.monotonicMs();
      const shouldLog = known === undefined || known.fields.code !== code || now - known.lastLoggedAtMs >= relogAfterMs;
      const lastLoggedAtMs = shouldLog ? now : known.lastLoggedAtMs;
      outages.set(key, { fields, places: new Set([keyOfPlace(place)]), dependency, isOpen: true, lastLoggedAtMs });
      show(fields, 1);
      if (shouldLog)
        logger.error(
          { event: 'outage.begun', ...fields },
          'an outage parks this work: it spends no attempt and goes on by itself once it is over',
        );
    },
    passed(place) {
      if (outages.size === 0) return;
      for (const outage of outages.values())
        if (outage.isOpen && outage.dependency === undefined && outage.places.has(keyOfPlace(place))) end(outage);
    },
    recovered(dependency) {
      const outage = outages.get(keyOfDependency(dependency));
      if (outage?.isOpen === true) end(outage);
    },
  };
}
