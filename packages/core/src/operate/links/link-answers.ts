import type { LinkPage } from './link-page.js';

/** The pages that say the same of every link. */
export const linkAnswers = {
  invalid: {
    status: 404,
    title: 'This link does not work',
    text: 'It is incomplete, or was not made here. Open it from the mail again.',
  },
  over: {
    status: 410,
    title: 'This link has ended',
    text: 'Links work for a while and as long as the review is kept. An operator can still hide the finding.',
  },
  credential: {
    status: 403,
    title: 'A credential is not hidden by a link',
    text: 'Change the credential. An operator with the right role can hide the finding.',
  },
  unknownChoice: {
    status: 400,
    title: 'Nothing was hidden',
    text: 'The request names no known reason. Open the link from the mail and choose one.',
  },
  unavailable: {
    status: 503,
    title: 'Not possible at the moment',
    text: 'The reviews do not answer now. Open the link again in a few minutes.',
  },
  full: {
    status: 409,
    title: 'Nothing was hidden',
    text: 'Too many findings of this change are hidden already. An operator has to take some of them back.',
  },
  ended: {
    status: 410,
    title: 'This link has ended',
    text: 'It was in a mail that is not kept any more. An operator can stop the mails.',
  },
  notStopped: {
    status: 400,
    title: 'Nothing was changed',
    text: 'Open the link from the mail and press its button.',
  },
  stopped: {
    status: 200,
    title: 'You get no more of these mails',
    text: 'Reviews that you took part in go on without you. An operator sends you mails again.',
  },
  wrongMethod: { status: 405, title: 'This link does not work', text: 'It is opened with GET or POST.' },
} satisfies Record<string, LinkPage>;
