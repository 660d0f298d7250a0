import { domainToASCII } from 'node:url';
import { CriticizerError } from '../foundation/errors.js';

/** An address that passed `parseRecipient`. */
export interface RecipientAddress {
  /** As given; safe for an envelope and a header. */
  address: string;
  /** Local part byte for byte, domain lower-cased and in A-labels: what makes a recipient unique (NOT-3). */
  recipientKey: string;
}

const MAX_LOCAL_BYTES = 64;
const MAX_DOMAIN_BYTES = 253;
const MAX_ADDRESS_BYTES = 254;
/** Controls, format characters (bidi, zero width), separators and unpaired surrogates never belong in an address. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Z}\p{Cs}]/u;
/** Characters that quote, group or list addresses; a local part that needs them is refused rather than guessed at. */
const STRUCTURAL = /[,;:<>()[\]\\"]/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** The address itself never enters the error: it may be anything at all. */
function invalid(reason: string): CriticizerError {
  return new CriticizerError('RECIPIENT_INVALID', `The recipient's address is not usable: ${reason}.`, {
    category: 'validation',
  });
}

function asciiDomain(domain: string): string {
  if (/[%/?#@]/.test(domain)) throw invalid('the domain holds a character no domain has');
  const ascii = domainToASCII(domain).toLowerCase();
  const labels = ascii.split('.');
  if (ascii.length === 0 || ascii.length > MAX_DOMAIN_BYTES || !labels.every((label) => LABEL.test(label))) {
    throw invalid('the domain is not a host name');
  }
  // A domain that reads as an IPv4 address comes out of the conversion as one: mail goes to names.
  if (/^\d+$/.test(labels.at(-1) ?? '')) throw invalid('the domain is not a host name');
  return ascii;
}

/**
 * Checks an addr-spec and derives its unique key. Tags (`a+b@`) and letter case of the local part
 * stay distinct: only the receiving host may fold them. Throws `RECIPIENT_INVALID` (category
 * `validation`) for anything but one plain `local@domain`.
 */
export function parseRecipient(address: string): RecipientAddress {
  if (typeof address !== 'string' || address.length === 0) throw invalid('it is empty');
  if (Buffer.byteLength(address) > MAX_ADDRESS_BYTES) throw invalid(`it is longer than ${MAX_ADDRESS_BYTES} bytes`);
  if (INVISIBLE.test(address)) throw invalid('it holds white space, control or invisible characters');
  if (STRUCTURAL.test(address)) throw invalid('it holds characters that list or quote addresses');
  const at = address.indexOf('@');
  if (at < 0 || at !== address.lastIndexOf('@')) throw invalid('it must hold exactly one @');
  const local = address.slice(0, at);
  if (local.length === 0 || Buffer.byteLength(local) > MAX_LOCAL_BYTES) {
    throw invalid(`the part before the @ must have 1 to ${MAX_LOCAL_BYTES} bytes`);
  }
  if (local.startsWith('.') || local.endsWith('.') || local.includes('..'))
    throw invalid('the part before the @ has an empty atom');
  return { address, recipientKey: `${local}@${asciiDomain(address.slice(at + 1))}` };
}
