import assert from 'node:assert/strict';
import type { RedactionResult, Redactor } from '../../foundation/redactor.js';
import type { Runner } from '../support/runner.js';

/** A text with a secret in it, made at run time so that no repository holds one. */
export interface SecretSample {
  name: string;
  /** Holds `secret`; may be several lines. */
  text: string;
  secret: string;
  path?: string | undefined;
  diff?: boolean | undefined;
}

/** Makes a redactor, and samples that it must hide or leave alone. */
export interface RedactorHarness {
  create(): Redactor;
  /** Fresh secrets on each call. */
  samples(): readonly SecretSample[];
  /** Texts that must come out as they went in. */
  harmless(): readonly string[];
}

const before = 'first line stays\n  int main(void) { return 0; }';
const after = '// last line stays\n';

function redact(redactor: Redactor, sample: SecretSample, text = sample.text): RedactionResult {
  return redactor.session().redact(text, { path: sample.path, diff: sample.diff });
}

/** The lines of a secret that are long enough to be told from ordinary text. */
function tracesOf(secret: string): string[] {
  return secret.split(/\r?\n/).filter((line) => line.length >= 8);
}

function assertGone(text: string, sample: SecretSample): void {
  for (const trace of tracesOf(sample.secret))
    assert.ok(!text.includes(trace), `${sample.name}: the secret is still there`);
}

function describeRedaction({ it }: Runner, { create, samples, harmless }: RedactorHarness): void {
  it('RED-8: no secret survives, and each is counted under its rule', () => {
    for (const sample of samples()) {
      const { text, findings, counts } = redact(create(), sample);
      assertGone(text, sample);
      assert.ok(findings.length > 0, `${sample.name}: no finding`);
      for (const { rule } of findings) assert.ok((counts[rule] ?? 0) > 0, `${sample.name}: ${rule} is not counted`);
    }
  });
  it('RED-1: the same text gives the same result in every instance', () => {
    for (const sample of samples()) assert.deepEqual(redact(create(), sample), redact(create(), sample), sample.name);
  });
  it('RED-1: redacting what is redacted changes nothing', () => {
    for (const sample of samples()) {
      const once = redact(create(), sample).text;
      assert.equal(redact(create(), sample, once).text, once, sample.name);
    }
  });
  it('RED-8: lines keep their number, and lines around the secret their text, with LF and with CRLF', () => {
    for (const sample of samples())
      for (const lineEnd of ['\n', '\r\n']) {
        const text = `${before}\n${sample.text}\n${after}`.replaceAll('\n', lineEnd);
        const redacted = redact(create(), { ...sample, diff: undefined }, text).text;
        assert.equal(redacted.split('\n').length, text.split('\n').length, sample.name);
        assert.ok(redacted.startsWith(before.replaceAll('\n', lineEnd)), `${sample.name}: the head changed`);
        assert.ok(redacted.endsWith(after.replaceAll('\n', lineEnd)), `${sample.name}: the tail changed`);
      }
  });
  it('RED-1: a session gives the same secret the same placeholder, in every text', () => {
    for (const sample of samples()) {
      const session = create().session();
      const context = { path: sample.path, diff: sample.diff };
      const first = session.redact(sample.text, context).text;
      for (const other of samples()) session.redact(other.text, { path: other.path, diff: other.diff });
      assert.equal(session.redact(sample.text, context).text, first, sample.name);
    }
  });
  it('leaves harmless text alone', () => {
    for (const text of ['', '\n', before, after, ...harmless()]) {
      const result = create().session().redact(text);
      assert.equal(result.text, text);
      assert.deepEqual(result.counts, {});
    }
  });
}

function describeFindings({ it }: Runner, { create, samples, harmless }: RedactorHarness): void {
  it('RED-10: a scan finds the secret before redaction, and nothing high after it', () => {
    for (const sample of samples()) {
      assert.ok(create().scan(sample.text).length > 0, `${sample.name}: not found`);
      const left = create().scan(redact(create(), sample).text);
      assert.deepEqual(
        left.filter((finding) => finding.confidence === 'high').map((finding) => finding.rule),
        [],
        sample.name,
      );
    }
  });
  it('RED-10: a scan of all redacted texts in one finds nothing high', () => {
    const session = create().session();
    const all = samples().map((sample) => session.redact(sample.text, { path: sample.path, diff: sample.diff }).text);
    const found = create().scan([...all, ...harmless()].join('\n'));
    assert.deepEqual(
      found.filter((finding) => finding.confidence === 'high').map((finding) => finding.rule),
      [],
    );
  });
  it('a finding tells where, and nothing of what', () => {
    for (const sample of samples()) {
      const text = `${before}\n${sample.text}`;
      for (const finding of create().scan(text)) {
        assert.ok(finding.start >= 0 && finding.start < finding.end && finding.end <= text.length, sample.name);
        assert.equal(finding.line, text.slice(0, finding.start).split('\n').length, sample.name);
        assertGone(JSON.stringify(finding), sample);
        assert.match(finding.fingerprint, /^[\w+/=-]{8,128}$/);
      }
    }
  });
  it('a fingerprint is the same for the same secret and another for another', () => {
    const fingerprints = (given: readonly SecretSample[]) =>
      given.map((sample) =>
        create()
          .scan(sample.text)
          .map((finding) => finding.fingerprint)
          .join(),
      );
    const given = samples();
    assert.deepEqual(fingerprints(given), fingerprints(given));
    assert.notDeepEqual(fingerprints(given), fingerprints(samples()));
  });
}

/** What every `Redactor` must do, over secrets that the harness makes at run time. */
export function describeRedactorContract(runner: Runner, harness: RedactorHarness): void {
  runner.describe('Redactor contract', () => {
    runner.it('names its rules and the hash of its policy, the same in every instance', () => {
      const { rules } = harness.create();
      assert.ok(rules.version.length > 0);
      assert.match(rules.policyHash, /^[0-9a-f]{64}$/);
      assert.deepEqual(harness.create().rules, rules);
    });
    runner.it('the harness gives samples that hold their secret', () => {
      assert.ok(harness.samples().length > 0);
      for (const { name, text, secret } of harness.samples())
        assert.ok(text.includes(secret) && tracesOf(secret).length > 0, name);
    });
    describeRedaction(runner, harness);
    describeFindings(runner, harness);
  });
}
