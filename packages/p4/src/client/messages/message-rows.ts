// The messages of servers and clients that this package knows.
import type { ErrorCode, FailureCategory } from '@criticizer/core/ports';

/** A message by its English text, and the failure that it means. */
export interface Row {
  pattern: RegExp;
  code: ErrorCode;
  category: FailureCategory;
  /** Our own words for the operator. */
  says: string;
  parks?: true;
}

const row = (pattern: RegExp, code: ErrorCode, category: FailureCategory, says: string, parks?: true): Row => ({
  pattern,
  code,
  category,
  says,
  ...(parks ? { parks } : {}),
});

/**
 * The messages this package knows, English as servers send them while P4LANGUAGE is unset. Exit
 * status tells nothing here: a missing change and a hidden file are warnings, with status 0. Order
 * matters where one text contains another.
 */
export const rows: readonly Row[] = [
  row(/- no such changelist\.$/, 'P4_CHANGE_NOT_FOUND', 'not_found', 'The Perforce server has no such changelist.'),
  row(
    /^Invalid changelist number /,
    'P4_INVALID_REQUEST',
    'validation',
    'The Perforce server refused the changelist number.',
  ),
  row(
    /- (?:no such file\(s\)|no file\(s\) at that (?:changelist number|revision)|no revision\(s\) (?:above|below|after|before) that revision)\.$/,
    'P4_FILE_NOT_FOUND',
    'not_found',
    'The Perforce server shows no such file or revision.',
  ),
  row(
    /^(?:Librarian|RCS) checkout .* failed[.!]?$|^open for read: .+,(?:v|d\/[^/]+): /,
    'P4_ARCHIVE_UNREADABLE',
    'upstream',
    'The Perforce server cannot read the archive of a revision.',
  ),
  row(/- no such user\(s\)\.$/, 'P4_USER_NOT_FOUND', 'not_found', 'The Perforce server has no such user.'),
  row(
    /- no permission for operation on file\(s\)\.$|protected namespace - access denied\.$|^You don't have permission for this operation\.$|^Access for user .* has not been enabled/,
    'P4_PERMISSION_DENIED',
    'auth',
    'The Perforce user may not do this.',
  ),
  row(
    /- file\(s\) not in client view\.$|^Path '.*' is not under client/,
    'P4_OUT_OF_SCOPE',
    'policy',
    'The Perforce server says the path is outside the view.',
  ),
  row(
    /^Depot '.*' unknown - use 'depot' to create it\.$/,
    'P4_OUT_OF_SCOPE',
    'policy',
    'The Perforce server has no such depot.',
  ),
  row(
    /^Perforce password \(P4PASSWD\) invalid or unset\.$/,
    'P4_AUTH_REQUIRED',
    'auth',
    'The Perforce server asks for a valid ticket.',
    true,
  ),
  row(
    /^Protections table is empty\.$/,
    'P4_PROTECTIONS_EMPTY',
    'auth',
    'The Perforce server has no protections: everyone may do everything.',
  ),
  row(
    /^Your session (?:has expired|was logged out), please login again\.$/,
    'P4_AUTH_EXPIRED',
    'auth',
    'The Perforce ticket has expired or was revoked.',
    true,
  ),
  row(
    /^Password invalid\.$|^Your password has expired, /,
    'P4_AUTH_REJECTED',
    'auth',
    'The Perforce server rejected the credential.',
    true,
  ),
  row(
    /^Password must be set before access can be granted\.$|^Password not allowed at this server security level, use 'p4 login'\.$/,
    'P4_AUTH_REQUIRED',
    'auth',
    'The Perforce server asks for a ticket of p4 login.',
    true,
  ),
  row(
    /^User .+ doesn't exist\.$/,
    'P4_AUTH_REJECTED',
    'auth',
    'The Perforce server does not know the service user.',
    true,
  ),
  row(
    /^Can't create a new user - over license quota\./,
    'P4_AUTH_NO_SEAT',
    'auth',
    'The Perforce server has no seat of its licence for the service user, which it does not know.',
    true,
  ),
  row(
    /^Multi factor authentication required!/,
    'P4_AUTH_MFA',
    'auth',
    'The Perforce server asks for a second factor.',
    true,
  ),
  row(
    /^Unicode server permits only unicode enabled clients\.$|^Unicode clients require a unicode enabled server\.$|^No Translation for parameter '/,
    'P4_CHARSET_MISMATCH',
    'validation',
    'The charset setting does not fit the Perforce server.',
  ),
  row(
    /^Request too large \(over \d+\); see 'p4 help maxresults'\.$|^Too many rows scanned \(over \d+\); see 'p4 help maxscanrows'\.$|^Operation took too long \(over \d+ seconds\); see 'p4 help maxlocktime'\.$|^Too much memory used \(over \d+\); see 'p4 help maxmemory'\.$|^Opening too many files \(over \d+\)|^Request too large for server memory \(try later\?\)\.$|^Grep revision limit exceeded \(over \d+\)\.$|- line \d+: maximum line length of \d+ exceeded$/,
    'P4_SERVER_LIMIT',
    'policy',
    'The request is over a limit of the Perforce server.',
  ),
  row(
    /^Request refused: this server is configured to run a maximum of \d+ simultaneous commands|^Server low on resources \(.*\), command terminated\.$|^Too many commands paused;\s+terminated\.$/,
    'P4_SERVER_BUSY',
    'rate_limit',
    'The Perforce server is busy.',
  ),
  row(
    /^Unknown command\.\s+Try 'p4 help' for info\.$|^Usage: |^Invalid option: -|p4 -h for usage\./,
    'P4_INCOMPATIBLE',
    'validation',
    'The Perforce server or client does not know this command or option.',
  ),
  row(
    /P4PORT IDENTIFICATION HAS CHANGED/,
    'P4_TRUST_MISMATCH',
    'policy',
    'The Perforce server shows another key than the pinned one.',
  ),
  row(
    /^The authenticity of '.*' can't be established,/,
    'P4_TRUST_UNKNOWN',
    'policy',
    'The key of the Perforce server is not pinned.',
  ),
  row(
    /is not inside permitted filesystem path|^EOF reading terminal\.$|^Invalid marshalled data supplied as input\.$|^Single sign-on on client failed|^Internal function '.*' unregistered!$/,
    'P4_CONTAINMENT',
    'policy',
    'The Perforce server tried to drive the client, and was stopped.',
  ),
  // The operating system refused the client a file of its machine. No command of this package names
  // one; what a server says of a missing archive names a `,v` file or one below a `,d` directory.
  row(
    /^[a-z]+(?: for [a-z]+)?: \/(?!.*,[vd]\b)[^\n]*: [A-Z][A-Za-z-]*(?: [a-z-]+)*$/,
    'P4_CONTAINMENT',
    'policy',
    'The Perforce server sent the client to a file of this machine, and was stopped.',
  ),
  row(
    /^Navigate to URL/,
    'P4_CONTAINMENT',
    'policy',
    'The Perforce server asked the client to open a URL, which it does not do.',
  ),
  row(
    /^RpcTransport: partner is not a Perforce client\/server\.$/,
    'P4_NOT_PERFORCE',
    'validation',
    'What answers at the port is no Perforce server.',
  ),
  row(
    /^SSL connect to .* failed|^Failed client connect, server using SSL\./,
    'P4_TLS_MISMATCH',
    'validation',
    'Client and Perforce server disagree about TLS.',
  ),
  row(
    /^TCP receive exceeded maximum configured duration/,
    'P4_TIMEOUT',
    'network',
    'The Perforce server did not answer in time.',
  ),
  row(
    /^Partner exited unexpectedly\.$|^(?:TCP|SSL) (?:receive|send) failed\.$/,
    'P4_CONNECTION_DROPPED',
    'network',
    'The connection to the Perforce server broke.',
  ),
  row(
    /^Connect to server failed; check \$P4PORT\.$|^TCP connect to .* failed\./,
    'P4_UNREACHABLE',
    'network',
    'The Perforce server cannot be reached.',
  ),
  // What administrators have a broker answer is free text; none of it can be a path, as nothing
  // with a slash is taken for it.
  row(
    /^(?!.*[/\\]).{0,300}\b(?:(?:down|offline|closed|unavailable|stopped) for (?:[a-z]+ )?(?:maintenance|upgrade|backup)|maintenance mode|under(?:going)? maintenance|is shutting down|is (?:temporarily |currently )?(?:down|offline|unavailable))\b/i,
    'P4_MAINTENANCE',
    'network',
    'The Perforce server is down for maintenance.',
  ),
];
