import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Redactor } from '../redactor.js';
import { type SecretInContext, secretInContext } from './contexts.js';
import { hostileText } from './hostile-texts.js';
import { innocentText } from './negative-corpora.js';
import type { Runner } from './runner.js';

export interface RedactorPropertyOptions {
  /** Makes the redactor under test; called once per run of a property. */
  create(): Redactor;
  /** Runs per property; default 300. */
  numRuns?: number | undefined;
  /** Repeats an earlier failure: the seed that fast-check printed. */
  seed?: number | undefined;
}

/** Length of the fragments of a secret that may not survive. */
const FRAGMENT = 8;
/** A rule's name in a placeholder may spell a vendor's head. */
const PLACEHOLDER = /\[REDACTED:[a-z0-9-]{1,48}:\d{1,9}\]/g;

/**
 * What every redactor must hold, as tests for any runner (RED-1, RED-8): no generated secret and no 8-character fragment of one survives; a
 * second pass changes nothing; lines stay; equal input gives equal output; innocent text stays; JSON stays parseable; the scan of what was
 * redacted finds nothing of high confidence. A failure prints the shrunken text.
 */
export function describeRedactorProperties(runner: Runner, options: RedactorPropertyOptions): void {
  const parameters: fc.Parameters<unknown> = {
    numRuns: options.numRuns ?? 300,
    ...(options.seed === undefined ? {} : { seed: options.seed }),
  };
  const holds = <T>(name: string, texts: fc.Arbitrary<T>, check: (text: T, redactor: Redactor) => void): void => {
    runner.it(name, () => {
      const redactor = options.create();
      fc.assert(
        fc.property(texts, (text) => check(text, redactor)),
        parameters as fc.Parameters<[T]>,
      );
    });
  };
  runner.describe('redactor properties', () => {
    holds('RED-8: no secret and no 8-character fragment of one survives', secretInContext(), checkNothingSurvives);
    holds(
      'RED-1: a second pass changes nothing, lines stay, equal input gives equal output',
      secretInContext(),
      ({ text, path, diff }, redactor) => checkStability(redactor, text, { path, diff }),
    );
    holds('RED-1: hostile text is stable as well', hostileText(), (text, redactor) => checkStability(redactor, text, {}));
    holds('RED-8: innocent text is untouched', innocentText(), ({ text, path }, redactor) =>
      assert.equal(redactor.session().redact(text, { path }).text, text),
    );
    holds(
      'RED-8: JSON stays parseable',
      secretInContext().filter((context) => context.json),
      ({ text, path }, redactor) => {
        assert.doesNotThrow(() => JSON.parse(redactor.session().redact(text, { path }).text));
      },
    );
    holds('RED-10: the scan finds unmistakable secrets in final bytes, and none once redacted', secretInContext(), checkScan);
  });
}

function checkNothingSurvives({ secret, text, path, diff }: SecretInContext, redactor: Redactor): void {
  const redacted = redactor.session().redact(text, { path, diff }).text.replaceAll(PLACEHOLDER, '');
  const frame = secret.parts.reduce(
    (rest, part) => rest.replaceAll(part, '\u0000').replaceAll(JSON.stringify(part).slice(1, -1), '\u0000'),
    text,
  );
  for (const part of secret.parts) {
    for (let at = 0; at + FRAGMENT <= part.length; at += 1) {
      const fragment = part.slice(at, at + FRAGMENT);
      assert.ok(!redacted.includes(fragment) || frame.includes(fragment), `${secret.family}: "${fragment}" survives in ${redacted}`);
    }
  }
}

function checkStability(redactor: Redactor, text: string, context: { path?: string | undefined; diff?: boolean | undefined }): void {
  const first = redactor.session().redact(text, context);
  assert.deepEqual(redactor.session().redact(text, context), first);
  assert.equal(redactor.session().redact(first.text, context).text, first.text);
  assert.equal(first.text.split('\n').length, text.split('\n').length);
  for (const finding of first.findings) assert.equal(text.slice(0, finding.start).split('\n').length, finding.line);
}

function checkScan({ secret, text, path, diff }: SecretInContext, redactor: Redactor): void {
  const body = (content: string): string => JSON.stringify({ messages: [{ role: 'user', content }] });
  const standing = redactor.scan(body(text)).filter((finding) => finding.confidence === 'high');
  if (secret.unmistakable) assert.ok(standing.length > 0, `${secret.family} is not seen in a request body`);
  const redacted = redactor.session().redact(text, { path, diff }).text;
  assert.deepEqual(
    redactor.scan(body(redacted)).filter((finding) => finding.confidence === 'high'),
    [],
  );
}
