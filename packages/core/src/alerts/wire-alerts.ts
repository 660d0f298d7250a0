import type { Settings } from '../settings/settings.js';
import type { Stores } from '../stores/stores.js';
import type { OutageFields } from '../worker/retry/outages.js';
import type { AlertSource } from './alert-source.js';
import { type Alerter, type AlerterOptions, createAlerter } from './alerter.js';
import { describeOutage } from './conditions.js';
import { createKillSwitchReminder, type KillSwitchReminderOptions } from './kill-switch-reminder.js';
import { createStoreSources } from './store-sources.js';

/** The parts of a Criticizer that its alerts are made of. */
export interface AlertWiring
  extends Omit<AlerterOptions, 'documents' | 'pagers' | 'sources' | 'settings'>,
    Pick<KillSwitchReminderOptions, 'listStops' | 'redactText'> {
  stores: Parameters<typeof createStoreSources>[0] & Pick<Stores<never>, 'documents'>;
  /** Undefined: nobody is paged, and what lasts is only logged and measured. */
  pagers: AlerterOptions['pagers'] | undefined;
  alertSources: readonly AlertSource[];
  settings: Pick<Settings, 'alerts' | 'retry' | 'audit'>;
}

/** What a Criticizer uses of its alerts. */
export interface WiredAlerts {
  /** Null without pagers. */
  alerter: Alerter | null;
  /** An outage begins or lasts; `isOpen` false: it is over. */
  onOutage(outage: OutageFields, isOpen: boolean): void;
  /** See `KillSwitchReminder.remind`. */
  remind(): Promise<void>;
}

/** Puts the alerter of a Criticizer together with what it reads. */
export function wireAlerts(options: AlertWiring): WiredAlerts {
  const { stores, pagers, alertSources, listStops, redactText, settings, ...shared } = options;
  const reminder = createKillSwitchReminder({
    ...{ listStops, redactText, everyMs: settings.alerts.killSwitchReminderMs },
    ...{ pagerIds: pagers?.map(({ id }) => id) ?? [], ...shared },
  });
  const sources = [...createStoreSources(stores), reminder.source, ...alertSources];
  const alerter =
    pagers === undefined
      ? null
      : createAlerter({ ...shared, documents: stores.documents, pagers, settings: settings.alerts, sources });
  // A process that has nothing more to do learns of no end: what it parked last is forgotten.
  const renewWithinMs = 3 * Math.max(settings.retry.parkMs, settings.audit.breaker.parkMs);
  return {
    alerter,
    onOutage(outage, isOpen) {
      const condition = describeOutage(outage, settings.alerts);
      if (isOpen) alerter?.raise(condition, { renewWithinMs });
      else alerter?.clear(condition);
    },
    remind: reminder.remind,
  };
}
