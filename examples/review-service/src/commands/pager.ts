// `pager test`: calls every pager with a test alert, and resolves it.

import { testPager } from '@criticizer/core/pager';
import { createKillSwitch, createOutboundGate } from '@criticizer/core/ports';
import { createPagerMail } from '../compose/configured-parts.js';
import { createPagers } from '../compose/pagers.js';
import { readPagers } from '../config/pager-variables.js';
import { UsageError } from '../config/usage-error.js';
import {
  type Command,
  createCommand,
  type ExitCode,
  jsonArgument,
  print,
  readTerminalConfiguration,
  type Terminal,
} from './command-line.js';
import { table, withStores } from './operate.js';

async function testPagers(terminal: Terminal, args: { json?: boolean | undefined }): Promise<ExitCode> {
  const pagers = createPagers(readPagers(terminal.env), () => createPagerMail(readTerminalConfiguration(terminal)));
  const tests = await withStores(terminal, async ({ documents, egress }) => {
    const outbound = createOutboundGate({ killSwitch: createKillSwitch({ documents }), log: egress });
    const { signal } = terminal;
    return Promise.all(
      pagers.map(async (pager) => ({ id: pager.id, ...(await testPager({ pager, outbound, signal })) })),
    );
  });
  for (const pager of pagers) await pager.close?.();
  const lines = tests.map(({ id, ...test }) => [
    id,
    test.ok ? 'ok: triggered and resolved' : `${test.action}: ${test.failure.code}: ${test.failure.message}`,
  ]);
  print(terminal, args, tests, lines.length === 0 ? 'No pager: no PAGER_ variable names one.' : table(lines));
  return tests.length === 0 ? 3 : tests.every(({ ok }) => ok) ? 0 : 1;
}

/** Tests who is paged. It does wake people: each pager gets an alert that is resolved at once. */
export const pager = (terminal: Terminal): Command =>
  createCommand(
    { name: 'pager', description: 'Who is paged: test calls every pager, and resolves it.' },
    { action: { type: 'positional', description: 'test', required: true }, ...jsonArgument },
    async (args) => {
      if (args.action === 'test') return testPagers(terminal, args);
      throw new UsageError(['ACTION: expected test']);
    },
  );
