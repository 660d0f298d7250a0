// npm run example:redact-only: a text, a logger and a rule of one's own, with secrets made up at run time.
import { randomBytes } from 'node:crypto';
import { createRedactor } from '@criticizer/redact';
import { checkRedactor } from '@criticizer/redact/testing';
import { badgeRule, badgeTexts } from './badges.js';
import { createRedactedLogger } from './redacted-logger.js';

const word = randomBytes(12).toString('base64url');
const fingerprintKey = randomBytes(32);
const session = createRedactor({ fingerprintKey }).session();
console.log('A text:');
console.log(
  session.redact(`export DB_PASSWORD='${word}'\npsql postgres://app:${word}@db.example/main\n`, { path: 'deploy.sh' })
    .text,
);

console.log('A logger:');
const logger = createRedactedLogger(process.stdout).child({ requestId: 'r-7', authorization: `Bearer ${word}` });
logger.info({ user: { name: 'Ann', email: 'ann@corp.example', badgeNumber: 4711 } }, `signed in with password=${word}`);

console.log('\nA rule of our own that leaks, as the property harness convicts it:');
const [conviction] = await checkRedactor({
  create: () => createRedactor({ fingerprintKey, rules: [badgeRule('all but eight digits')] }),
  secrets: badgeTexts(),
  numRuns: 60,
  seed: 7,
});
console.log(conviction?.message);
