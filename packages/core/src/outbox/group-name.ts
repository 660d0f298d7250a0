import { errorFacts } from '../telemetry/error-facts.js';
import type { Logger } from '../telemetry/logger.js';
import type { Sender } from './senders/sender.js';

/** Names the group of a row by its recipient. Never throws. */
export type GroupName = (sender: Pick<Sender, 'groupOf' | 'id'>, recipientKey: string) => string;

function callHost({ groupOf }: Pick<Sender, 'groupOf'>, recipientKey: string): string {
  const group: unknown = groupOf?.(recipientKey);
  if (typeof group === 'string') return group;
  // Its rejection would end the process: nobody else waits for it.
  if (group instanceof Promise) group.catch(() => undefined);
  throw new TypeError('groupOf: expected a string');
}

/**
 * Where `groupOf` throws or gives no string, the row is of one group with the others of its channel that have none:
 * slow, but no two at once. The log gets one error for each channel.
 */
export function createGroupName(logger: Logger): GroupName {
  const reported = new Set<string>();
  return (sender, recipientKey) => {
    try {
      return callHost(sender, recipientKey);
    } catch (error) {
      if (!reported.has(sender.id))
        logger.error(
          { event: 'channel.group_failed', channel: sender.id, ...errorFacts(error) },
          'groupOf failed; the posts that it fails for are sent one at a time, and its next failures are not logged',
        );
      reported.add(sender.id);
      return '';
    }
  };
}
