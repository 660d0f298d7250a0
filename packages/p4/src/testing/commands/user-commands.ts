// What the simulated server says of users and groups.
import { dateText } from '../change-text.js';
import { type ServerEvent, serverMessages } from '../server-events.js';
import type { ServerRequest } from '../server-request.js';
import { defaultTime, findUser, type P4SimulatorUser } from '../simulator-model.js';

/** `users [-a -m max] [name…]`: without `-a` neither service nor operator users. */
export function* usersCommand({ model, operands, options, tagged }: ServerRequest): Generator<ServerEvent> {
  const isListed = (user: P4SimulatorUser): boolean => options.has('a') || (user.type ?? 'standard') === 'standard';
  const all = (model.users ?? []).filter(isListed).map(({ user }) => user);
  for (const name of operands.length > 0 ? operands : all.slice(0, Number(options.get('m') ?? all.length))) {
    const found = findUser(model, name);
    if (found === null || !isListed(found)) yield serverMessages.noSuchUser(name);
    else if (tagged) yield { kind: 'stat', fields: [...userFields(found), ['Type', found.type ?? 'standard']] };
    else {
      const text = `${found.user} <${found.email}> (${found.fullName}) accessed ${dateText(found.time ?? defaultTime)}`;
      yield { kind: 'info', level: 0, text };
    }
  }
}

/** `groups -i -v user`: the groups of one user, in tags. */
export function* groupsCommand({ model, operands }: ServerRequest): Generator<ServerEvent> {
  const user = operands[0] ?? '';
  for (const { group, maxResults = 0, maxScanRows = 0 } of findUser(model, user)?.groups ?? []) {
    const fields = Object.entries({ user, group, isSubGroup: 0, isOwner: 0, isUser: 1, maxResults, maxScanRows });
    yield { kind: 'stat', fields };
  }
}

/** A form: servers make one up for names they do not know. */
export function* userCommand({ model, operands, user, client }: ServerRequest): Generator<ServerEvent> {
  const name = operands[0] ?? user;
  const found = findUser(model, name);
  if (found !== null) return yield { kind: 'stat', fields: [...userFields(found), ['Type', 'standard']] };
  yield {
    kind: 'stat',
    fields: [
      ['User', name],
      ['Email', `${name}@${client}`],
      ['FullName', name],
    ],
  };
}

export function* reviewsCommand({ store, options, tagged }: ServerRequest): Generator<ServerEvent> {
  for (const { user, email, name } of store.change(Number(options.get('c')))?.reviewers ?? []) {
    if (!tagged) yield { kind: 'info', level: 0, text: `${user} <${email}> (${name})` };
    else {
      yield {
        kind: 'stat',
        fields: [
          ['user', user],
          ['email', email],
          ['name', name],
        ],
      };
    }
  }
}

function userFields(user: P4SimulatorUser): (readonly [string, string | number])[] {
  const time = user.time ?? defaultTime;
  return [
    ['User', user.user],
    ['Update', time],
    ['Access', time],
    ['FullName', user.fullName],
    ['Email', user.email],
  ];
}
