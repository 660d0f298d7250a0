// What one person wants of review mails. Setting it is audited.
import { UsageError } from '../config/usage-error.js';
import {
  type Command,
  createCommand,
  type ExitCode,
  jsonArgument,
  print,
  readActor,
  reasonArguments,
  type Terminal,
} from './command-line.js';
import { limitArgument, readLimit, table, withOperator } from './operate.js';

const choices = ['all', 'high', 'off'] as const;
const meaning = {
  all: 'every review',
  high: 'reviews with a high or critical finding',
  off: 'no review',
} as const;

/** Sets what a person gets by mail. */
export const mailPreference = (terminal: Terminal): Command =>
  createCommand(
    { name: 'mail-preference', description: 'Sets which reviews a person gets by mail, and how much of them.' },
    {
      address: { type: 'positional', description: 'The address of the person.', required: true },
      mails: { type: 'positional', description: choices.join(', '), required: true },
      'link-only': { type: 'boolean', description: 'Counts and the link alone, never findings.' },
      ...reasonArguments,
      ...jsonArgument,
    },
    async (args): Promise<ExitCode> => {
      const mails = choices.find((one) => one === args.mails);
      if (mails === undefined) throw new UsageError([`MAILS: expected one of ${choices.join(', ')}`]);
      const { address, reason } = args;
      const linkOnly = args['link-only'] === true;
      const request = { address, mails, linkOnly, actor: readActor(args), reason };
      const done = await withOperator(terminal, (operator) => operator.setMailPreference(request));
      const what = done.outcome === 'set' ? 'gets from now on' : 'got already';
      const much = linkOnly && mails !== 'off' ? ', counts and the link alone' : '';
      print(terminal, args, done, `${address} ${what}: ${meaning[mails]}${much} (audit: ${done.audit})`);
      return 0;
    },
  );

/** Lists what persons have set. */
export const mailPreferences = (terminal: Terminal): Command =>
  createCommand(
    { name: 'mail-preferences', description: 'Lists who gets which reviews by mail, where it is not every one.' },
    {
      after: {
        type: 'string',
        description: 'Only addresses behind this one: the last of a page.',
        valueHint: 'ADDRESS',
      },
      ...limitArgument,
      ...jsonArgument,
    },
    async (args) => {
      const filter = { limit: readLimit(args.limit), after: args.after };
      const rows = await withOperator(terminal, (operator) => operator.listMailPreferences(filter));
      const lines = rows.map(({ recipientKey, mails, linkOnly, setBy, updatedAt }) => [
        ...[recipientKey, mails, linkOnly ? 'link only' : '-', updatedAt.toISOString(), setBy.id],
      ]);
      print(terminal, args, rows, table(lines));
      return 0;
    },
  );
