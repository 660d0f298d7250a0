import type { P4SimulatorFile, P4SimulatorModel } from '@criticizer/p4/testing';
import { baseChange, root } from './sample-change.js';

/** The shelf that `--shelf` reviews: its author works on it between the versions. */
export const shelfNumber = 4301;
export const shelfVersions = [1, 2, 3, 4] as const;
/** One of `shelfVersions`. */
export type ShelfVersion = (typeof shelfVersions)[number];

/** What the author did before each version, for the terminal. */
export const shelfSteps: Readonly<Record<ShelfVersion, string>> = {
  1: 'six files are shelved for the first time',
  2: 'the session token is mended, nothing else is touched',
  3: 'a file is added, and lines above an old finding',
  4: 'loop, statement and charge are mended',
};

const invoice = (
  version: ShelfVersion,
): string => `${version >= 3 ? '// Invoices of the orders service.\n// Amounts are in cents.\n' : ''}export function invoiceLines(items) {
  const lines = [];
  for (let i = 0; i ${version === 4 ? '<' : '<='} items.length; i++) {
    lines.push(\`\${items[i].name}: \${items[i].price}\`);
  }
  return lines;
}

export function findInvoices(db, customer) {
  return ${version === 4 ? "db.query('SELECT * FROM invoices WHERE customer = $1', [customer])" : `db.query("SELECT * FROM invoices WHERE customer = '" + customer + "'")`};
}
`;

const payment = (version: ShelfVersion): string => `import { post } from './http.js';

export async function charge(order) {
${
  version === 4
    ? "  const reply = await post('/charges', { amount: order.total, currency: order.currency });\n  if (reply.status !== 'charged') throw new Error('the charge failed');\n  return reply.id;"
    : "  try {\n    const reply = await post('/charges', { amount: order.total, currency: order.currency });\n    return reply.id;\n  } catch (error) {}"
}
}
`;

const session = (version: ShelfVersion): string =>
  version === 1
    ? 'export function newSessionToken() {\n  return Math.random().toString(36).slice(2);\n}\n'
    : "import { randomBytes } from 'node:crypto';\n\nexport function newSessionToken() {\n  return randomBytes(32).toString('base64url');\n}\n";

/** A long module without a fault: most of a shelf is like it, and is the same in each version. */
const catalogue = (name: string): string =>
  Array.from(
    { length: 40 },
    (_, n) =>
      `export function ${name}${n}(order) {\n  const items = order.items.filter((item) => item.kind === '${name}-${n}');\n  return items.reduce((sum, item) => sum + item.price * item.count, 0);\n}\n`,
  ).join('\n');

const refund = `export async function refund(order, amount) {
  if (amount == order.total) order.state = 'refunded';
  return order;
}
`;

function shelfFiles(version: ShelfVersion): P4SimulatorFile[] {
  return [
    { path: `${root}/src/catalogue.js`, action: 'add', content: catalogue('goods') },
    { path: `${root}/src/discounts.js`, action: 'add', content: catalogue('discounts') },
    { path: `${root}/src/invoice.js`, action: 'edit', content: invoice(version) },
    { path: `${root}/src/payment.js`, action: 'edit', content: payment(version) },
    ...(version >= 3 ? [{ path: `${root}/src/refund.js`, action: 'add', content: refund } as const] : []),
    { path: `${root}/src/session.js`, action: 'add', content: session(version) },
    { path: `${root}/src/shipping.js`, action: 'add', content: catalogue('parcels') },
  ];
}

/** The sample server while the shelf is as it is in this version. */
export function shelveOn(model: P4SimulatorModel, version: ShelfVersion): P4SimulatorModel {
  const base = model.changes.filter(({ number }) => number === baseChange);
  const shelf = {
    ...{ number: shelfNumber, user: 'ada', time: 1_790_003_600 + version * 3_600 },
    ...({ status: 'pending', shelved: true } as const),
    description: 'Invoices, charges and session tokens #review',
    files: shelfFiles(version),
  };
  return { ...model, changes: [...base, shelf] };
}
