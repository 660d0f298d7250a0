import { type CriticizerError, isCriticizerError, type JsonObject } from '@criticizer/core/ports';

interface FindingText {
  /** `error`: reviews of this server fail or wait. `warning`: they go on, and something is not as it should be. */
  severity: 'error' | 'warning';
  says: string;
  todo: string;
}

/** Everything the doctor can find, once. Codes are stable. */
export const findingTexts = {
  'settings.invalid': {
    severity: 'error',
    says: 'A setting of the Perforce connection is not accepted.',
    todo: 'Correct the setting that the message names.',
  },
  'connection.failed': {
    severity: 'error',
    says: 'The server cannot be asked.',
    todo: 'Look up the failure code in the reference of errors; check port, network, and the p4 executable.',
  },
  'client.too_old': {
    severity: 'error',
    says: 'The p4 client is older than 2021.2 and finds no pin for the name of a server, though the pin is right.',
    todo: 'Use a p4 client of 2021.2 or later, or name the server by its IP address.',
  },
  'connection.plain': {
    severity: 'warning',
    says: 'The connection is not encrypted: files and the ticket can be read and changed on the way.',
    todo: 'Use the ssl: port of the server and pin its key.',
  },
  'trust.pin_missing': {
    severity: 'error',
    says: 'The port has TLS and no key is pinned.',
    todo: 'Compare the fingerprint shown here with the one its administrator reads on the server, then set it as trustFingerprint.',
  },
  'trust.mismatch': {
    severity: 'error',
    says: 'The server shows another key than the pinned one. Nothing was sent to it.',
    todo: 'Ask the administrator whether the key was changed. If so, compare the fingerprint and set it as trustFingerprint; if not, somebody is in between.',
  },
  'containment.none': {
    severity: 'warning',
    says: 'p4 runs without containment: a server that drives the client can list and digest files of this host.',
    todo: 'Change the setting of the kernel or the distribution that the obstacle names.',
  },
  'containment.partial': {
    severity: 'warning',
    says: 'p4 is contained in part: a server that drives the client learns which paths of this host exist.',
    todo: 'Change the setting of the kernel or the distribution that the obstacle names.',
  },
  'containment.missing': {
    severity: 'error',
    says: "p4 may run contained only (containment: 'required'), and this host has no full containment.",
    todo: 'Change the setting of the kernel or the distribution that the obstacle names.',
  },
  'clock.skew': {
    severity: 'warning',
    says: 'The clocks of this host and of the Perforce server differ.',
    todo: 'Synchronize both; dates of changes and the end of the ticket are told by the server.',
  },
  'ticket.expired': {
    severity: 'error',
    says: 'The ticket has expired or was logged out: fetching waits.',
    todo: 'Log the service user in (p4 login -a -p) and put the new ticket where the secret source finds it; jobs go on by themselves.',
  },
  'ticket.refused': {
    severity: 'error',
    says: 'The server does not accept the ticket: fetching waits.',
    todo: 'Check that the ticket is of this server and user and valid for this host (p4 login -a); put a good one where the secret source finds it.',
  },
  'ticket.unreadable': {
    severity: 'error',
    says: 'The secret source gives no ticket.',
    todo: 'Check the name, and for a file that it is owned by this user and closed to others.',
  },
  'ticket.unproven': {
    severity: 'warning',
    says: 'Whether the ticket is good is not known: it is never shown to a server that is not trusted.',
    todo: 'Set the pin right and ask again; a ticket watch with cursors remembers what a trusted server said last.',
  },
  'ticket.expires_soon': {
    severity: 'warning',
    says: 'The ticket expires soon.',
    todo: 'Renew it, or put the service user into a group with a longer or unlimited timeout.',
  },
  'rights.too_wide': {
    severity: 'warning',
    says: 'The service user may do more than read.',
    todo: 'Give it read access in the protections table, on the paths of the allow-list only.',
  },
  'rights.too_narrow': {
    severity: 'error',
    says: 'The service user may not read files.',
    todo: 'Give it read access in the protections table on the paths of the allow-list.',
  },
  'rights.no_protections': {
    severity: 'warning',
    says: 'The server has no protections table: every user may do everything.',
    todo: 'Ask the administrator to set one up (p4 protect).',
  },
  'server.unpromoted_shelves': {
    severity: 'warning',
    says: 'Shelves that are made on another server of this installation are not here unless they were promoted.',
    todo: 'Where shelves are reviewed, watch each server that people shelve on, or have them promoted (p4 shelve -p, dm.shelve.promote).',
  },
  'server.replica_lags': {
    severity: 'warning',
    says: 'The server lacks changes that the commit server has.',
    todo: 'Ask again in a minute; where it stays, ask the administrator (p4 pull -lj), or watch the commit server.',
  },
  'licence.expires_soon': {
    severity: 'warning',
    says: 'The licence of the Perforce server ends within 14 days, or has ended: then the server refuses its users.',
    todo: 'Tell the administrator.',
  },
  'licence.seats_taken': {
    severity: 'warning',
    says: 'Users take all seats of the licence: the server makes no further user, nor this one again once it was deleted.',
    todo: 'Tell the administrator, who can free seats (p4 user -d) or have more.',
  },
  'licence.seat_refused': {
    severity: 'error',
    says: 'The server does not know the service user and has no seat of its licence for it: fetching waits.',
    todo: 'Have a seat freed (p4 user -d) and the service user made (p4 user -f); jobs go on by themselves.',
  },
  'user.no_seat': {
    severity: 'warning',
    says: 'The service user has no seat of the licence: its type may not read files.',
    todo: 'Make it a user of type standard; that takes a seat.',
  },
  'limits.low': {
    severity: 'warning',
    says: 'The groups of the service user let it list few rows: larger changes are skipped for their size, and catching up is slow.',
    todo: 'Put it into a group of its own with MaxResults and MaxScanRows unlimited or above 10001.',
  },
  'changes.quiet': {
    severity: 'warning',
    says: 'No change was submitted for longer than expected, or none that the service user sees.',
    todo: 'Check the server and the rights of the service user.',
  },
  'watch.behind': {
    severity: 'warning',
    says: 'The watcher has not taken in changes that are older than ten minutes.',
    todo: 'Check that the service runs, and its log and criticizer.watch.failed for why polls fail.',
  },
  'allow_list.empty': {
    severity: 'error',
    says: 'The allow-list is empty: nothing may be read.',
    todo: 'Name the depot paths to review, such as //depot/main/...',
  },
  'allow_list.invalid': {
    severity: 'error',
    says: 'A rule of the allow-list is not accepted.',
    todo: 'Correct the rule that the message names.',
  },
  'allow_list.unknown_depot': {
    severity: 'error',
    says: 'A rule names a depot that the server does not have.',
    todo: 'Correct the depot name, upper and lower case included, or remove the rule.',
  },
  'allow_list.nothing_visible': {
    severity: 'warning',
    says: 'None of the newest changes shows a file to the service user: the server hides them all.',
    todo: 'Give it read access in the protections table on the paths of the allow-list.',
  },
  'allow_list.matches_nothing': {
    severity: 'warning',
    says: 'None of the newest changes touches the allow-list.',
    todo: 'Check depot names, upper and lower case, and whether the service user may list those files.',
  },
  'allow_list.mixed_changes': {
    severity: 'warning',
    says: 'Some of the newest changes touch paths inside and outside the allow-list. By default such a change is refused whole.',
    todo: "Widen the list, or set deniedPaths to 'omit' to review what is inside.",
  },
  'users.robots': {
    severity: 'warning',
    says: 'Some users look like merge robots or build machines by name or habit.',
    todo: 'Look at each. To leave their changes out, set what "add" says in the settings.',
  },
  'check.failed': {
    severity: 'error',
    says: 'A check could not be made.',
    todo: 'Look up the failure code in the reference of errors.',
  },
} as const satisfies Readonly<Record<string, FindingText>>;

/** The stable name of a finding of the doctor. */
export type DoctorFindingCode = keyof typeof findingTexts;

/** One thing that is wrong, and what to do about it. */
export interface DoctorFinding {
  code: DoctorFindingCode;
  severity: 'error' | 'warning';
  says: string;
  todo: string;
  /** Numbers, failure codes, fingerprints; no path of a change, no ticket. */
  details: JsonObject;
}

export function finding(code: DoctorFindingCode, details: JsonObject = {}): DoctorFinding {
  return { code, ...findingTexts[code], details };
}

/** What a report says of a failure. */
export function codeOf(error: unknown): Pick<CriticizerError, 'code' | 'details'> {
  return isCriticizerError(error) ? error : { code: 'UNEXPECTED', details: {} };
}
