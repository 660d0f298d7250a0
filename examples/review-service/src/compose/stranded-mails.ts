// Mails that were accepted under another DELIVERY and wait for its mailer.
import type { Logger, Stores } from '@criticizer/core';
import type { Configuration } from '../config/configuration.js';
import { createChannels } from './channels.js';
import { createMailers } from './configured-parts.js';
import { describeDelivery } from './delivery.js';

const newest = 1_000;

/** How many mails wait, by the mailer that `DELIVERY` does not have; of the newest 1,000 pending ones. */
export async function countStranded(
  outbox: Pick<Stores<unknown>['outbox'], 'list'>,
  mailers: readonly { id: string }[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await outbox.list({ status: 'pending', limit: newest });
  const counts = new Map<string, number>();
  for (const { via } of rows) if (!mailers.some(({ id }) => id === via)) counts.set(via, (counts.get(via) ?? 0) + 1);
  return counts;
}

/** Warns of the mails that no mailer of this configuration takes up. */
export async function warnOfStranded(
  { outbox }: Pick<Stores<unknown>, 'outbox'>,
  configuration: Configuration,
  logger: Logger,
): Promise<void> {
  const delivery = describeDelivery(configuration.delivery);
  const senders = [...createMailers(configuration), ...createChannels(configuration)];
  for (const [via, mails] of await countStranded(outbox, senders))
    logger.warn(
      { event: 'mail.stranded', via, mails, delivery },
      'mails of another DELIVERY wait: they go out once it is set again',
    );
}
