// Deliveries that are wrong on purpose: the soak must convict each of them.
import { fileURLToPath } from 'node:url';
import type { PlantedEdit } from '../../testing/process-bundle.js';
import type { SoakedChannel } from './notify-work.js';
import type { ChannelFigures } from './run-notify-soak.js';

/** One wrong delivery, the channel that shows it, and the figure that it drives above 0. */
export interface NotifyMutant {
  edit: PlantedEdit;
  channel: SoakedChannel;
  crime: keyof Pick<ChannelFigures, 'doubled' | 'lost' | 'unflagged'>;
}

const source = (name: string): string => fileURLToPath(new URL(`../../../packages/${name}`, import.meta.url));

export const mutants: Readonly<Record<string, NotifyMutant>> = {
  'mark-first': {
    edit: {
      file: source('core/src/outbox/delivery-decision.ts'),
      find: "  if (row.notificationId !== null && canLookUp(facts)) return { do: 'lookup' };",
      replace: "  if (row.phase === 'data') return { do: 'recover', id: 'assumed' };",
    },
    channel: 'smtp',
    crime: 'lost',
  },
  'no-look-up': {
    edit: {
      file: source('core/src/outbox/delivery-decision.ts'),
      find: "  return canLookUp(facts) ? { do: 'lookup' } : byPolicy(facts, policy);",
      replace: '  return byPolicy(facts, policy);',
    },
    channel: 'smtp-maildir',
    crime: 'doubled',
  },
  'no-flag': {
    edit: {
      file: source('core/src/outbox/deliver-settlement.ts'),
      find: "  return how === 'flagged' || how === 'resend';",
      replace: '  return false;',
    },
    channel: 'smtp',
    crime: 'unflagged',
  },
  'new-id': {
    edit: {
      file: source('notify/src/webhook/webhook-channel.ts'),
      find: 'async function send(post: FrozenPost, { key, signal, onPhase }: SendContext): Promise<SendOutcome> {',
      replace: `async function send(post: FrozenPost, { key: row, signal, onPhase }: SendContext): Promise<SendOutcome> {
        const key = row + '-' + process.pid;`,
    },
    channel: 'webhook',
    crime: 'doubled',
  },
};
