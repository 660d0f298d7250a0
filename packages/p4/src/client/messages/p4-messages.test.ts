import { describe, expect, it } from 'vitest';
import { clientRuns } from '../../../test/fixture-runs.js';
import { createMarshalReader } from '../marshal-reader.js';
import { p4Output } from '../p4-output.js';
import { p4ClientError, p4MessageError } from './p4-messages.js';

const codeOf = (text: string, severity = 3): string => p4MessageError({ severity, generic: 0, text }).code;

describe('p4 messages', () => {
  it.each([
    ['12 - no such changelist.', 'P4_CHANGE_NOT_FOUND', 'not_found', false],
    ["Invalid changelist number 'x'.", 'P4_INVALID_REQUEST', 'validation', false],
    ['//d/a#9 - no file(s) at that revision.', 'P4_FILE_NOT_FOUND', 'not_found', false],
    ['//d/a - protected namespace - access denied.', 'P4_PERMISSION_DENIED', 'auth', false],
    ["Path '//c/a' is not under client's root", 'P4_OUT_OF_SCOPE', 'policy', false],
    ['Your session was logged out, please login again.', 'P4_AUTH_EXPIRED', 'auth', true],
    ['Your password has expired, please change your password.', 'P4_AUTH_REJECTED', 'auth', true],
    ['Password must be set before access can be granted.', 'P4_AUTH_REQUIRED', 'auth', true],
    ["Too much memory used (over 5); see 'p4 help maxmemory'.", 'P4_SERVER_LIMIT', 'policy', false],
    ['Server low on resources (cpu), command terminated.', 'P4_SERVER_BUSY', 'rate_limit', false],
    ["No Translation for parameter 'data' value 'ff'!", 'P4_CHARSET_MISMATCH', 'validation', false],
    ['TCP receive exceeded maximum configured duration of 30 seconds.', 'P4_TIMEOUT', 'network', false],
    ["Depot 'd' unknown - use 'depot' to create it.", 'P4_OUT_OF_SCOPE', 'policy', false],
    ['Password invalid.', 'P4_AUTH_REJECTED', 'auth', true],
    ["User o'brien doesn't exist.", 'P4_AUTH_REJECTED', 'auth', true],
    [
      "Can't create a new user - over license quota.\nTry deleting old users with 'user -d'.\nLicense count: 5 users used of 5 licensed",
      'P4_AUTH_NO_SEAT',
      'auth',
      true,
    ],
    ["Opening too many files (over 5); see 'p4 help maxopenfiles'.", 'P4_SERVER_LIMIT', 'policy', false],
    ['Request too large for server memory (try later?).', 'P4_SERVER_LIMIT', 'policy', false],
    [
      'Request refused: this server is configured to run a maximum of 5 simultaneous commands. Please try again later.',
      'P4_SERVER_BUSY',
      'rate_limit',
      false,
    ],
    ['Too many commands paused;  terminated.', 'P4_SERVER_BUSY', 'rate_limit', false],
    ['Usage: describe [-s] changelist#', 'P4_INCOMPATIBLE', 'validation', false],
    ['TCP receive failed.', 'P4_CONNECTION_DROPPED', 'network', false],
    ['SSL connect to h:1 failed 5.', 'P4_TLS_MISMATCH', 'validation', false],
    ['Failed client connect, server using SSL.', 'P4_TLS_MISMATCH', 'validation', false],
    ['EOF reading terminal.', 'P4_CONTAINMENT', 'policy', false],
    ['File /tmp/x is not inside permitted filesystem path /nonexistent', 'P4_CONTAINMENT', 'policy', false],
    ['The Perforce server is down for maintenance, please try again later.', 'P4_MAINTENANCE', 'network', false],
    ['This server is currently in maintenance mode.', 'P4_MAINTENANCE', 'network', false],
    ['Service is temporarily unavailable.', 'P4_MAINTENANCE', 'network', false],
    ['//depot/is down for maintenance/a.c - no such file(s).', 'P4_FILE_NOT_FOUND', 'not_found', false],
    ['//depot/maintenance mode/a.c is odd', 'P4_FAILED', 'upstream', false],
    ['RpcTransport: partner is not a Perforce client/server.', 'P4_NOT_PERFORCE', 'validation', false],
  ])('ERR-1: %s', (text, code, category, parks) => {
    expect(p4MessageError({ severity: 3, generic: 0, text: `${text}\n` })).toMatchObject({ code, category, parks });
  });

  it('ERR-1: classifies every message of the recorded runs', () => {
    const codes = new Set<string>();
    for (const run of clientRuns().filter((candidate) => candidate.mode === 'marshal')) {
      const reader = createMarshalReader((record) => {
        const output = p4Output(record);
        if (output.kind === 'message') codes.add(p4MessageError(output.message).code);
      });
      reader.push(run.stdout);
      reader.end();
    }
    expect([...codes].sort()).toEqual([
      'P4_AUTH_EXPIRED',
      'P4_AUTH_MFA',
      'P4_AUTH_REQUIRED',
      'P4_CONNECTION_DROPPED',
      'P4_FILE_NOT_FOUND',
      'P4_INCOMPATIBLE',
      'P4_OUT_OF_SCOPE',
      'P4_PERMISSION_DENIED',
      'P4_SERVER_LIMIT',
    ]);
  });

  it('ERR-1: names the limit and its number, and nothing else of the text', () => {
    const error = p4MessageError({
      severity: 3,
      generic: 35,
      text: "Operation took too long (over 30 seconds); see 'p4 help maxlocktime'.\n",
    });
    expect(error).toMatchObject({ code: 'P4_SERVER_LIMIT', details: { limit: 'maxlocktime', over: 30 } });
  });

  it.each<[string, string]>([
    ['open for write: /nonexistent/tmp.1.1: No such file or directory', 'P4_CONTAINMENT'],
    ['opendir: /etc: Permission denied', 'P4_CONTAINMENT'],
    ['chmod: /p4: Read-only file system', 'P4_CONTAINMENT'],
    ['Navigate to URL: https://attacker.invalid/', 'P4_CONTAINMENT'],
    ["Single sign-on on client failed: 'P4LOGINSSO' not set.", 'P4_CONTAINMENT'],
    ['open for read: /p4/1/depots/main/a.txt,v: No such file or directory', 'P4_ARCHIVE_UNREADABLE'],
    ['open for read: /p4/1/depots/main/a.txt,d/1.2.gz: No such file or directory', 'P4_ARCHIVE_UNREADABLE'],
    ['open for read: /etc/hostname: Permission denied', 'P4_CONTAINMENT'],
    ['read: socket: Connection reset by peer', 'P4_FAILED'],
  ])('P4-7: tells a server that drives the client from a server with a fault of its own: %s', (text, code) => {
    expect(codeOf(text, 3)).toBe(code);
  });

  it('fails closed on what it does not know, and repeats no text of the server', () => {
    const text = '//depot/secret/plan.txt - something new';
    expect(codeOf(text, 2)).toBe('P4_UNCLASSIFIED_WARNING');
    expect(codeOf(text, 3)).toBe('P4_FAILED');
    const error = p4MessageError({ severity: 2, generic: 17, text });
    expect(JSON.stringify([error, error.message, error.details])).not.toContain('secret');
  });

  it.each([
    [
      'Perforce client error:\n\tConnect to server failed; check $P4PORT.\n\tTCP connect to h:1 failed.\n\tconnection refused\n',
      'P4_UNREACHABLE',
    ],
    ['Perforce client error:\n\tp4 -h for usage.\n\tInvalid option: --script.\n', 'P4_INCOMPATIBLE'],
    [
      "The authenticity of 'h:1' can't be established,\nthis may be your first attempt to connect to this P4PORT.\n",
      'P4_TRUST_UNKNOWN',
    ],
    [
      '******* WARNING P4PORT IDENTIFICATION HAS CHANGED! *******\nIt is possible that someone is intercepting\n',
      'P4_TRUST_MISMATCH',
    ],
    ['Segmentation fault\n', 'P4_FAILED'],
    ['', 'P4_FAILED'],
  ])('reads what the client says of itself: %j', (stderr, code) => {
    expect(p4ClientError(stderr).code).toBe(code);
  });
});
