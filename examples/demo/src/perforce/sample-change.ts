import { randomBytes } from 'node:crypto';
import type { P4SimulatorFile, P4SimulatorModel } from '@criticizer/p4/testing';
import { ledger, ordersAfter, ordersBefore } from './sample-orders.js';

export const serverId = 'demo';
export const changeNumber = 4217;
export const baseChange = 4100;
/** The folder that the sample changes are in. */
export const root = '//depot/orders/main';

/** Of the form a Perforce server gives out. */
export const makeTicket = (): string => randomBytes(16).toString('hex').toUpperCase();

/** Made up anew for each state folder: none of these opens anything, and none is in the repository. */
function generatedSecrets() {
  const letters = (length: number): string =>
    randomBytes(length).toString('base64url').replace(/[-_]/g, 'x').slice(0, length);
  const keyLines = Array.from({ length: 6 }, () => randomBytes(48).toString('base64'));
  const dashes = '-'.repeat(5);
  return {
    gatewayKey: `sk_${'live'}_${letters(24)}`,
    databasePassword: letters(18),
    privateKey: [`${dashes}BEGIN PRIVATE KEY${dashes}`, ...keyLines, `${dashes}END PRIVATE KEY${dashes}`].join('\n'),
  };
}

const paymentBefore = `import { post } from './http.js';

export async function charge(order) {
  const reply = await post('/charges', { amount: order.total, currency: order.currency });
  return reply.id;
}
`;

const paymentAfter = (key: string): string => `import { post } from './http.js';

const gatewayKey = '${key}';

export async function charge(order) {
  try {
    const reply = await post('/charges', { amount: order.total, currency: order.currency, key: gatewayKey });
    return reply.id;
  } catch (error) {}
}

export async function refund(order, amount) {
  if (amount == order.total) order.state = 'refunded';
  return post('/refunds', { charge: order.chargeId, amount });
}
`;

const invoiceBefore = `export function invoiceLines(items) {
  const lines = [];
  for (let i = 0; i < items.length; i++) {
    lines.push(\`\${items[i].name}: \${items[i].price}\`);
  }
  return lines;
}
`;

const invoiceAfter = `export function invoiceLines(items) {
  const lines = [];
  for (let i = 0; i <= items.length; i++) {
    lines.push(\`\${items[i].name}: \${items[i].price}\`);
  }
  return lines;
}

export function findInvoices(db, customer) {
  return db.query("SELECT * FROM invoices WHERE customer = '" + customer + "'");
}
`;

const session = `export function newSessionToken() {
  return Math.random().toString(36).slice(2);
}
`;

const money = `export const cents = (amount) => Math.round(amount * 100);
`;

const settings = (password: string): string => `# Production
ORDERS_URL=https://orders.example.test
DATABASE_URL=postgres://orders:${password}@db.example.test/orders
DATABASE_POOL=10
`;

/** A PNG's first bytes and noise: binary to everybody. */
const picture = (): { base64: string } => ({
  base64: Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0x0d]), randomBytes(512)]).toString('base64'),
});

function baseFiles(): P4SimulatorFile[] {
  return [
    { path: `${root}/src/payment.js`, action: 'add', content: paymentBefore },
    { path: `${root}/src/invoice.js`, action: 'add', content: invoiceBefore },
    { path: `${root}/src/helpers.js`, action: 'add', content: money },
    { path: `${root}/src/ledger.js`, action: 'add', content: ledger },
    { path: `${root}/src/orders.js`, action: 'add', content: ordersBefore },
    { path: `${root}/src/report.js`, action: 'add', content: "export const report = () => 'nothing to report';\n" },
    {
      path: `${root}/config/production.env`,
      action: 'add',
      content: '# Production\nORDERS_URL=https://orders.example.test\n',
    },
    { path: `${root}/assets/logo.png`, action: 'add', type: 'binary', content: picture() },
  ];
}

function changedFiles(secrets: ReturnType<typeof generatedSecrets>): P4SimulatorFile[] {
  return [
    { path: `${root}/assets/logo.png`, action: 'edit', type: 'binary', content: picture() },
    { path: `${root}/config/gateway.pem`, action: 'add', content: `${secrets.privateKey}\n` },
    { path: `${root}/config/production.env`, action: 'edit', content: settings(secrets.databasePassword) },
    { path: `${root}/src/helpers.js`, action: 'move/delete' },
    { path: `${root}/src/invoice.js`, action: 'edit', content: invoiceAfter },
    {
      path: `${root}/src/money.js`,
      action: 'move/add',
      content: money,
      from: { path: `${root}/src/helpers.js`, rev: 1 },
    },
    { path: `${root}/src/orders.js`, action: 'edit', content: ordersAfter },
    { path: `${root}/src/payment.js`, action: 'edit', content: paymentAfter(secrets.gatewayKey) },
    { path: `${root}/src/report.js`, action: 'delete' },
    { path: `${root}/src/session.js`, action: 'add', content: session },
  ];
}

/** Whether each planted secret must be gone from whatever leaves: for the demo's own check and its tests. */
export interface SampleServer {
  model: P4SimulatorModel;
  ticket: string;
  planted: readonly string[];
}

/**
 * A Perforce server with one change worth a review: ten files, three planted secrets, a binary, a
 * move and a deletion. One edit is wrong, as a file outside the change shows.
 */
export function makeSampleServer(ticket: string): SampleServer {
  const secrets = generatedSecrets();
  const people = [
    { user: 'ada', email: 'ada@example.test', fullName: 'Ada Author', ticket },
    { user: 'reviewbot', email: 'reviewbot@example.test', fullName: 'Review service', ticket },
  ];
  const model: P4SimulatorModel = {
    users: people,
    changes: [
      {
        number: baseChange,
        user: 'ada',
        time: 1_790_000_000,
        status: 'submitted',
        description: 'Import orders.',
        files: baseFiles(),
      },
      {
        number: changeNumber,
        user: 'ada',
        time: 1_790_003_600,
        status: 'submitted',
        description: 'Refunds, customer invoices, session tokens\n\nMoves the money helpers to a file of their own.',
        reviewers: [{ user: 'grace', email: 'grace@example.test', name: 'Grace Reviewer' }],
        files: changedFiles(secrets),
      },
    ],
  };
  return {
    model,
    ticket,
    planted: [secrets.gatewayKey, secrets.databasePassword, ...secrets.privateKey.split('\n').slice(1, -1)],
  };
}
