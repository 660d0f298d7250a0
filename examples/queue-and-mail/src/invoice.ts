import { z } from 'zod';

const line = z.strictObject({ text: z.string(), cents: z.number().int() });

/** What a job carries; checked before its first stage runs. */
export const invoiceSchema = z.strictObject({
  customer: z.strictObject({ name: z.string(), mail: z.email() }),
  month: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/),
  lines: z.array(line).min(1),
});
export type Invoice = z.infer<typeof invoiceSchema>;

const euros = (cents: number): string => (cents / 100).toFixed(2).padStart(10);

export function invoiceText({ customer, month, lines }: Invoice): string {
  const total = lines.reduce((sum, { cents }) => sum + cents, 0);
  const rows = [...lines, { text: 'Total', cents: total }].map(
    ({ text, cents }) => `${text.padEnd(24)}${euros(cents)} EUR`,
  );
  return [`Invoice ${month} for ${customer.name}`, '', ...rows, ''].join('\n');
}

const names = [
  'Ada',
  'Grace',
  'Edsger',
  'Barbara',
  'Donald',
  'Frances',
  'Tony',
  'Margaret',
  'Niklaus',
  'Adele',
  'Dennis',
  'Radia',
];

/** What the billing system would know of a month. */
export function invoicesOf(month: string, customers: number): Invoice[] {
  return Array.from({ length: customers }, (_, i) => {
    const name = `${names[i % names.length]}${i < names.length ? '' : ` ${Math.floor(i / names.length) + 1}`}`;
    const mail = `${name.toLowerCase().replace(' ', '-')}@example.test`;
    const lines = [
      { text: 'Build minutes', cents: 1_250 + 137 * i },
      { text: 'Storage', cents: 900 },
    ];
    return { customer: { name, mail }, month, lines };
  });
}
