// `mail ACTION ID`: what a person does with one mail.
import { UsageError } from '../config/usage-error.js';
import {
  type Command,
  createCommand,
  jsonArgument,
  print,
  readActor,
  reasonArguments,
  type Terminal,
} from './command-line.js';
import { withOperator } from './operate.js';

const actions = ['hold', 'release', 'confirm', 'reopen'] as const;
const next: Readonly<Record<string, string>> = {
  held: 'Nobody gets it until it is released.',
  released: 'It is due now.',
  reopened: 'It is due now, with all its attempts.',
  confirmed: 'Its recipient counts as notified.',
  superseded: 'A newer version of the review has mails of its own: see mails. This one is cancelled.',
  'not-pending': 'Only a pending mail can be held.',
  'not-held': 'It is not held.',
  'not-unknown': 'Only an unknown mail can be confirmed.',
  'not-closed':
    'Only a failed or unknown mail is reopened; what was sent or cancelled needs a higher version: rerun CHANGE.',
  'not-found': 'There is no such mail; see mails.',
};

/** Holds, releases, confirms or reopens a mail. */
export const mail = (terminal: Terminal): Command =>
  createCommand(
    { name: 'mail', description: 'Holds, releases, confirms or reopens a mail.' },
    {
      action: { type: 'positional', description: actions.join(', '), required: true },
      mail: { type: 'positional', description: 'Id of the mail, as mails shows it.', required: true },
      ...reasonArguments,
      evidence: { type: 'string', description: 'confirm: what proves that it was sent.', valueHint: 'TEXT' },
      'notification-id': { type: 'string', description: 'confirm: the id that the mail server gave.', valueHint: 'ID' },
      ...jsonArgument,
    },
    async (args) => {
      const { action, mail: mailId, reason, evidence } = args;
      if (!actions.some((known) => known === action))
        throw new UsageError([`ACTION: expected one of ${actions.join(', ')}`]);
      if (action === 'confirm' && evidence === undefined)
        throw new UsageError(['--evidence: is required: what proves that it was sent']);
      const request = { mailId, actor: readActor(args), reason };
      const done = await withOperator(terminal, async (operator): Promise<{ outcome: string; audit: string }> => {
        if (action === 'hold') return operator.holdMail(request);
        if (action === 'release') return operator.releaseMail(request);
        if (action === 'reopen') return operator.reopenMail(request);
        const notificationId = args['notification-id'];
        return operator.confirmMail({ ...request, evidence: evidence ?? '', notificationId });
      });
      print(terminal, args, done, `${done.outcome} (audit: ${done.audit}). ${next[done.outcome] ?? ''}`);
      return done.audit === 'none' ? 3 : 0;
    },
  );
