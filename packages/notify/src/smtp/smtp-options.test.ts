import { describe, expect, it } from 'vitest';
import { isLoopback } from '../loopback.js';
import { checkSmtpOptions, type SmtpMailerOptions } from './smtp-options.js';

const good: SmtpMailerOptions = { host: 'mail.example.test', helloName: 'app.example.test' };

describe('SMTP options', () => {
  it('default to required STARTTLS on the submission port', () => {
    expect(checkSmtpOptions(good)).toMatchObject({
      id: 'smtp',
      endpoint: { tls: 'starttls', port: 587 },
      idleConnections: 2,
    });
    expect(checkSmtpOptions({ ...good, tls: 'implicit' }).endpoint.port).toBe(465);
    expect(checkSmtpOptions(good).endpoint.timeouts.dataMs).toBe(600_000);
  });

  it('plain text goes to this machine only, unless asked for by name', () => {
    expect(() => checkSmtpOptions({ ...good, tls: 'none' })).toThrow(TypeError);
    expect(checkSmtpOptions({ ...good, tls: 'none', allowPlaintext: true }).endpoint.tls).toBe('none');
    for (const host of ['localhost', '127.0.0.1', '127.8.9.1', '::1'])
      expect(checkSmtpOptions({ ...good, host, tls: 'none' }).endpoint.host).toBe(host);
    for (const host of ['127.evil.test', '10.0.0.1', '0.0.0.0', 'localhost.evil.test', '::2'])
      expect(isLoopback(host)).toBe(false);
  });

  it.each([
    { host: '' },
    { host: 'a b' },
    { host: 'a\r\nb' },
    { helloName: 'x\r\nMAIL FROM' },
    { helloName: '' },
    { port: 0 },
    { port: 1.5 },
    { id: 'UPPER' },
    { tls: 'maybe' as 'none' },
    { timeouts: { dataMs: 0 } },
    { timeouts: { attemptMs: 0 } },
    { maxConnections: 0 },
    { maxConnections: 1.5 },
    { idleMs: 0 },
    { idleConnections: -1 },
    {
      credentials: {
        secrets: { contract: 1, read: () => Promise.reject(new Error()) },
        userSecret: '',
        passwordSecret: 'p',
      },
    },
  ] satisfies Partial<SmtpMailerOptions>[])('refuse %j', (change) => {
    expect(() => checkSmtpOptions({ ...good, ...change })).toThrow(TypeError);
  });
});
