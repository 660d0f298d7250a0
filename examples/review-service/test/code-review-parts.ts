// What a service needs to comment in the stand-in of P4 Code Review.
import { Secret } from '@criticizer/core';
import { createHttpClient } from '@criticizer/core/http';
import type { Channel } from '@criticizer/core/ports';
import { createCodeReviewChannel, createCodeReviewClient } from '@criticizer/notify/p4-code-review';
import type { P4ChangeFetcher } from '@criticizer/p4';
import type { StandInReply } from '../src/simulated/stand-ins.js';

/** The account that comments, and its ticket at the stand-in. */
export const commenter = { user: 'reviewbot', ticket: 'a-ticket' };

/** A channel to the server at `origin`, which keeps a request for a second at most. */
export function commentIn(origin: string) {
  return ([fetcher]: readonly P4ChangeFetcher[]): readonly Channel[] => {
    const current = { secret: new Secret(commenter.ticket), version: '1' };
    const client = createCodeReviewClient({
      url: origin,
      user: commenter.user,
      ticket: { source: { contract: 1, read: async () => ({ current }) }, name: 'TICKET' },
      http: createHttpClient({ allowPrivateOrigins: [origin] }),
    });
    const readContentDigest = fetcher?.readContentDigest;
    return [createCodeReviewChannel({ client, serverId: 'main', requestLimitMs: 1_000, readContentDigest })];
  };
}

/** The model of these tests reports each field that is added without a look whether it is there. */
export const reportMissing: StandInReply = (question) => {
  const quotes: { id: string; quote: string }[] = [];
  const findings = [...new Set(question.match(/total \+= order\.\w+/g))].map((quote, at) => {
    const field = quote.slice('total += order.'.length);
    quotes.push({ id: `f${at}`, quote });
    return {
      ...{ id: `f${at}`, severity: field === 'tax' ? 'medium' : 'high', category: 'correctness' },
      ...{ file: `//depot/orders/src/${field === 'tax' ? 'tax' : 'total'}.js`, line: 2 },
      title: `order.${field} may be missing`,
      message: `An order without \`${field}\` makes the total NaN. See @ada and change 10.`,
      suggestion: `total += order.${field} ?? 0;`,
    };
  });
  return { findings, meta: { quotes } };
};
