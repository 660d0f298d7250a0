// Two source files of the sample server: one that the sample change edits in the middle of a long
// function, and one outside the change that shows why the edit is wrong.

/** Delivery days by country: what makes the file longer than a request shows whole. */
const days =
  'AT2 BE2 BG5 CH3 CY7 CZ3 DE1 DK2 EE4 ES4 FI4 FR2 GB4 GR6 HR4 HU3 IE4 IS7 IT3 LI3 LT4 LU2 LV4 MT7 NL2 NO4 PL3 PT5 RO5 SE3 SI4 SK3 TR8 UA9 US7 CA8 MX9 BR12 AR14 CL14 AU12 NZ14 JP9 KR9 SG10 IN12 ZA14 EG12 MA10 TN10 IL9 AE9 QA10 KW10 SA11 TH12 VN12 PH13 MY12 ID13';

const table = days
  .split(' ')
  .map((entry) => [entry.slice(0, 2), entry.slice(2)])
  .map(
    ([code = '', count]) =>
      `  ${code}: { days: ${count}, carrier: 'parcel', returns: '/returns/${code.toLowerCase()}', taxes: 'included' },`,
  )
  .join('\n');

const closing = (booking: string): string => `import { bookPayment } from './ledger.js';
import { post } from './http.js';

export const delivery = {
${table}
};

export function deliveryDate(order, today) {
  const { days } = delivery[order.country] ?? { days: 14 };
  return new Date(today.getTime() + days * 86_400_000);
}

export async function closeOrder(order, { db, today, log }) {
  if (order.state === 'closed') {
    log.info({ order: order.id }, 'the order is closed already');
    return order;
  }
  const open = order.items.filter((item) => item.state !== 'shipped');
  if (open.length > 0) {
    log.warn({ order: order.id, open: open.length }, 'the order has items that were not shipped');
    return order;
  }
  const shipment = await post('/shipments', {
    order: order.id,
    country: order.country,
    due: deliveryDate(order, today).toISOString(),
  });
  const credits = order.credits.reduce((sum, credit) => sum + credit.amount, 0);
${booking}
  await db.update('orders', order.id, {
    state: 'closed',
    shipment: shipment.id,
    closedAt: today.toISOString(),
  });
  log.info({ order: order.id, shipment: shipment.id }, 'the order is closed');
  return { ...order, state: 'closed', shipment: shipment.id };
}
`;

/** Before the change: an amount in cents is booked. */
export const ordersBefore = closing('  await bookPayment(db, order.id, Math.round((order.total - credits) * 100));');

/** After it: the same amount in euros, which `bookPayment` takes for cents. */
export const ordersAfter = closing('  await bookPayment(db, order.id, order.total - credits);');

/** Outside the change: what the edited line calls. */
export const ledger = `/** Books a payment. \`cents\`: whole cents, as the bank wants them. */
export async function bookPayment(db, orderId, cents) {
  if (!Number.isInteger(cents)) throw new TypeError('bookPayment: cents: expected whole cents');
  return db.insert('payments', { orderId, cents });
}
`;
