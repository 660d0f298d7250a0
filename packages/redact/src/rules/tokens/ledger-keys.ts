import type { Rule } from '../../grammar/rule.js';

/** Private keys of accounts on a ledger (RED-4), which are written as digests are. */
export function ledgerKeyRules(): Rule[] {
  return [accountKeys];
}

/** What makes or lists accounts of a ledger, and up to three keys of a list. */
const MAKES_ACCOUNT =
  /(?:\bWallet\(|\b(?:privateKeyToAccount|from_?key)\(|\baccounts["']?\s{0,4}[:=]\s{0,4}\[(?:\s{0,12}["'`](?:0x)?[\da-f]{64}["'`],){0,3}|priv(?:ate)?[-_ ]?key["']?[\s:=(]{1,4})\s{0,12}["'`]?$/i;
const ACCOUNT_LEAD = 260;
const ACCOUNT_KEY = /^(?:0x)?[\da-f]{64}$/i;

/**
 * Private keys of Ethereum and its kin: 64 digits, as digests and transactions have them; what
 * stands before them tells.
 */
const accountKeys: Rule = {
  triggers: [],
  confirm() {},
  confirmRun(scan, start, end) {
    const { text } = scan;
    if ((end - start !== 64 && end - start !== 66) || !ACCOUNT_KEY.test(text.slice(start, end))) return;
    if (MAKES_ACCOUNT.test(text.slice(Math.max(0, start - ACCOUNT_LEAD), start)))
      scan.report('private-key', start, end, 'low');
  },
};
