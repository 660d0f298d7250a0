// Public entry `@criticizer/notify/imap`: needs the optional peer imapflow.
export { createImapLookup, type ImapLookup } from './imap-lookup.js';
export type { ImapCredentials, ImapLookupOptions } from './imap-options.js';
