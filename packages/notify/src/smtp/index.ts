// Public entry `@criticizer/notify/smtp`: needs the optional peer nodemailer.

export type { MailLookup, MailLookupQuery } from './mail-lookup.js';
export { createMaildirLookup, type MaildirLookupOptions } from './maildir-lookup.js';
export type { SmtpTimeouts } from './native-connection.js';
export { createSmtpMailer } from './smtp-mailer.js';
export type { SmtpCredentials, SmtpMailerOptions } from './smtp-options.js';
