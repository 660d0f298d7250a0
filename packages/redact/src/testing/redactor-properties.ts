import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { RedactionContext, RedactionSession, Redactor } from '../redactor.js';
import { type SecretInContext, secretInContext } from './contexts.js';
import { hostileText } from './hostile-texts.js';
import { jsonDocument } from './json-documents.js';
import { type InnocentText, innocentText } from './negative-corpora.js';

/** What of a redactor is put to the test: any of ours, or one of the host's own. */
export interface TestableRedactor {
  /** With `stream`, a text in pieces must give what the whole text gives, wherever it is cut. */
  session(): Pick<RedactionSession, 'redact'> & Partial<Pick<RedactionSession, 'stream'>>;
  scan: Redactor['scan'];
}

/** What is put to the test, and with what beside the built-in texts. */
export interface RedactorUnderTest {
  /** Makes the redactor; called twice for every property, since two instances must agree. */
  create(): TestableRedactor;
  /** The redaction of a text that arrives in pieces, where it is not the session's `stream`. */
  redactChunks?: ((chunks: readonly string[], context: RedactionContext) => string | Promise<string>) | undefined;
  /** Secrets of the host's own rules, where they are written; they join the built-in ones. */
  secrets?: fc.Arbitrary<SecretInContext> | undefined;
  /** The host's own text that must stay; it joins the built-in one. */
  innocent?: fc.Arbitrary<InnocentText> | undefined;
}

/** A text that breaks a promise: what was given, what came of it, and why that is wrong. */
export class BrokenPromise extends Error {
  readonly given: { text: string; path?: string | undefined; diff?: boolean | undefined };
  readonly redacted: string;

  constructor(why: string, given: BrokenPromise['given'], redacted: string) {
    super(why);
    this.given = given;
    this.redacted = redacted;
    this.name = 'BrokenPromise';
  }
}

/** One promise of a redactor, over generated texts. */
export interface RedactorProperty {
  name: string;
  /** Share of the runs asked for; a property that tries every cut of a text needs fewer texts. */
  share: number;
  property(under: RedactorUnderTest): fc.IAsyncProperty<[Given]>;
}

type Given = { text: string } & RedactionContext & Partial<SecretInContext>;
type Check = (
  given: Given,
  redactor: TestableRedactor,
  under: RedactorUnderTest,
  other: TestableRedactor,
) => void | Promise<void>;

/** Length of the fragments of a secret that may not survive. */
const FRAGMENT = 8;
/** A rule's name in a placeholder may spell a vendor's head. */
const PLACEHOLDER = /\[REDACTED:[a-z0-9-]{1,48}:\d{1,9}\]/g;
/** Longer texts are cut at so many places, evenly. */
const MAX_CUTS = 200;

type Texts = (under: RedactorUnderTest) => fc.Arbitrary<Given>;

const secretTexts: Texts = ({ secrets }) =>
  secrets === undefined ? secretInContext() : fc.oneof(secretInContext(), secrets);
const innocentTexts: Texts = ({ innocent }) =>
  innocent === undefined ? innocentText() : fc.oneof(innocentText(), innocent);
const jsonTexts: Texts = (under) =>
  fc.oneof(
    secretTexts(under).filter(({ json }) => json === true),
    jsonDocument(secretTexts(under)),
  );
const shortTexts: Texts = (under) =>
  fc.oneof(
    secretTexts(under),
    innocentTexts(under),
    hostileText().map((text) => ({ text })),
  );
const anyTexts: Texts = (under) => fc.oneof(shortTexts(under), jsonDocument(secretTexts(under)));

function promise(name: string, texts: Texts, check: Check, share = 1): RedactorProperty {
  return {
    name,
    share,
    property(under) {
      const [redactor, other] = [under.create(), under.create()];
      return fc.asyncProperty(texts(under), async (given) => check(given, redactor, under, other));
    },
  };
}

/** What every redactor must hold (RED-1, RED-8, RED-10). */
export const redactorProperties: readonly RedactorProperty[] = [
  promise('RED-8: no secret and no 8-character fragment of one survives', secretTexts, nothingSurvives),
  promise('RED-8: what stands around a secret stays: names, quotes, hosts, markers', secretTexts, surroundingsStay),
  promise('RED-8: innocent text is untouched', innocentTexts, innocentStays),
  promise('RED-8: JSON stays parseable', jsonTexts, jsonStays),
  promise('RED-1: a second pass changes nothing', anyTexts, secondPassChangesNothing),
  promise('RED-1: lines stay, and findings name theirs', anyTexts, linesStay),
  promise('RED-1: equal input gives equal output, in every instance', anyTexts, isDeterministic),
  promise('RED-1: a text in pieces gives what the whole gives, wherever it is cut', shortTexts, chunksAgree, 0.1),
  promise(
    'RED-10: the scan finds unmistakable secrets in final bytes, and none once redacted',
    secretTexts,
    scanSeesFinalBytes,
  ),
];

function contextOf({ path, diff }: Given): RedactionContext {
  return { path, diff };
}

function redact(given: Given, redactor: TestableRedactor): string {
  return redactor.session().redact(given.text, contextOf(given)).text;
}

function nothingSurvives(given: Given, redactor: TestableRedactor): void {
  const redacted = redact(given, redactor);
  const shown = redacted.replaceAll(PLACEHOLDER, '');
  const parts = given.secret?.parts ?? [];
  const frame = parts.reduce(
    (rest, part) => rest.replaceAll(part, '\u0000').replaceAll(escaped(part), '\u0000'),
    given.text,
  );
  for (const part of parts) {
    for (let at = 0; at + FRAGMENT <= part.length; at += 1) {
      const fragment = part.slice(at, at + FRAGMENT);
      if (shown.includes(fragment) && !frame.includes(fragment))
        throw new BrokenPromise(
          `"${fragment}", characters ${at + 1} to ${at + FRAGMENT} of a ${given.secret?.family}, survives`,
          given,
          redacted,
        );
    }
  }
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

function surroundingsStay(given: Given, redactor: TestableRedactor): void {
  const redacted = redact(given, redactor);
  const parts = (given.secret?.parts ?? []).flatMap((part) => [part, escaped(part)]);
  const frame = parts.reduce((rest, part) => rest.replaceAll(part, '\u0000'), given.text);
  let at = 0;
  for (const piece of frame.split('\u0000')) {
    const found = redacted.indexOf(piece, at);
    if (found < 0)
      throw new BrokenPromise(`${JSON.stringify(piece)} beside the secret is gone or changed`, given, redacted);
    at = found + piece.length;
  }
}

function innocentStays(given: Given, redactor: TestableRedactor): void {
  const redacted = redact(given, redactor);
  if (redacted !== given.text) throw new BrokenPromise('there is no secret in it, and it was changed', given, redacted);
}

function jsonStays(given: Given, redactor: TestableRedactor): void {
  const redacted = redact(given, redactor);
  try {
    JSON.parse(redacted);
  } catch {
    throw new BrokenPromise('it was JSON and is none any more', given, redacted);
  }
}

function secondPassChangesNothing(given: Given, redactor: TestableRedactor): void {
  const once = redact(given, redactor);
  const twice = redact({ ...given, text: once }, redactor);
  if (twice !== once) throw new BrokenPromise(`a second pass makes of it: ${JSON.stringify(twice)}`, given, once);
}

function linesStay(given: Given, redactor: TestableRedactor): void {
  const { text, findings } = redactor.session().redact(given.text, contextOf(given));
  const count = (of: string): number => of.split('\n').length;
  if (count(text) !== count(given.text))
    throw new BrokenPromise(`${count(given.text)} lines have become ${count(text)}`, given, text);
  for (const { rule, line, start } of findings) {
    const is = count(given.text.slice(0, start));
    if (line !== is)
      throw new BrokenPromise(`the finding of ${rule} names line ${line}, and stands on line ${is}`, given, text);
  }
}

function isDeterministic(
  given: Given,
  redactor: TestableRedactor,
  _under: RedactorUnderTest,
  other: TestableRedactor,
): void {
  const first = redactor.session().redact(given.text, contextOf(given));
  for (const one of [redactor, other]) {
    const again = one.session().redact(given.text, contextOf(given));
    if (again.text !== first.text)
      throw new BrokenPromise(`another time it becomes: ${JSON.stringify(again.text)}`, given, first.text);
    assert.deepEqual(
      again.findings.map(({ fingerprint: _, ...finding }) => finding),
      first.findings.map(({ fingerprint: _, ...finding }) => finding),
    );
  }
}

function scanSeesFinalBytes(given: Given, redactor: TestableRedactor): void {
  const body = (content: string): string => JSON.stringify({ messages: [{ role: 'user', content }] });
  const high = (text: string): string[] =>
    redactor
      .scan(text)
      .filter((finding) => finding.confidence === 'high')
      .map((finding) => finding.rule);
  const redacted = redact(given, redactor);
  if (given.secret?.unmistakable === true && high(body(given.text)).length === 0)
    throw new BrokenPromise(`the scan does not see the ${given.secret.family} in a request body`, given, redacted);
  const left = high(body(redacted));
  if (left.length > 0)
    throw new BrokenPromise(`once redacted, the scan still finds ${left.join(', ')}`, given, redacted);
}

/** Holds by itself where nothing reads a text in pieces. */
async function chunksAgree(
  given: Given,
  redactor: TestableRedactor,
  { redactChunks }: RedactorUnderTest,
): Promise<void> {
  const inChunks = redactChunks ?? streamed(redactor);
  if (inChunks === undefined) return;
  const whole = redact(given, redactor);
  const { text } = given;
  const stride = Math.max(1, Math.ceil(text.length / MAX_CUTS));
  const cuts = Array.from({ length: Math.max(0, Math.ceil(text.length / stride) - 1) }, (_, at) => [(at + 1) * stride]);
  for (const cut of [...cuts, Array.from({ length: text.length }, (_, at) => at)]) {
    const chunks = [0, ...cut].map((from, at) => text.slice(from, cut[at] ?? text.length));
    const inPieces = await inChunks(chunks, contextOf(given));
    if (inPieces !== whole)
      throw new BrokenPromise(
        `${chunks.length === 2 ? `cut at character ${cut[0]}` : 'one character at a time'} it becomes: ${JSON.stringify(inPieces)}`,
        given,
        whole,
      );
  }
}

function streamed(redactor: TestableRedactor): RedactorUnderTest['redactChunks'] {
  if (redactor.session().stream === undefined) return undefined;
  return (chunks, context) => {
    const stream = redactor.session().stream?.(context);
    return chunks.map((chunk) => stream?.write(chunk).text).join('') + stream?.end().text;
  };
}
