// RED-8 as a whole: whoever holds all that the service stored, sent, mailed and logged gets none of
// the secrets back. The attack is proved by what it does to the raw artifacts, once they are opened
// with the service's own key. `npm run soak:secrecy` does the same with far more changes, and every
// word under every public key.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileSecrets, Secret, systemRandom } from '@criticizer/core';
import {
  createArtifacts,
  createFileArtifactStore,
  createLocalKeyRing,
  createRoleAccessPolicy,
} from '@criticizer/core/artifacts';
import { createRedactor } from '@criticizer/redact';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { type DemoQueue, forgetSchema, openQueue } from '../../src/queue/demo-queue.js';
import { bundleMailServer } from '../demo-bundle.js';
import { mailEvidence, openArtifacts, storedEvidence } from './all-that-is-kept.js';
import { type Evidence, type Recovered, recoverSecrets } from './recover-secrets.js';
import { makeSecrets, runReviews } from './run-reviews.js';
import { makeSecretChanges, type SecretChanges } from './secret-changes.js';

const isSoak = process.env['MODE'] === 'soak';
const size = isSoak ? { changes: 8, filesEach: 40, wordsEach: 40 } : { changes: 2, filesEach: 14, wordsEach: 8 };
const mailServer = await bundleMailServer();

/** The service's artifacts, under its own key or another. */
function openVault(directory: string, { stores }: DemoQueue, otherKey?: Secret) {
  const own = createFileSecrets({ directory: join(directory, 'secrets') });
  const source =
    otherKey === undefined
      ? own
      : { contract: 1 as const, read: async () => ({ current: { secret: otherKey, version: 'other' } }) };
  return createArtifacts({
    store: createFileArtifactStore({ directory: join(directory, 'artifacts') }),
    keys: createLocalKeyRing({ source, name: 'ARTIFACT_KEY' }),
    access: createRoleAccessPolicy([]),
    manifest: stores.artifactManifest,
    securityEvents: { emit: () => undefined },
    random: systemRandom,
    ttlMs: { raw: 1, redacted: 1 },
  });
}

/** A mail may name true paths, and nothing else that is secret (ruling R15). */
const withoutPaths = (evidence: readonly Evidence[], { hiddenPaths }: SecretChanges): Evidence[] =>
  evidence.map(({ where, text }) => ({
    where,
    text: hiddenPaths.reduce((rest, path) => rest.replaceAll(path, '(a path)'), text),
  }));

/** What the redactor gives a host of every text of the changes: fingerprints, and the rules that found something. */
function findingsOf(fingerprintKey: string, { model }: SecretChanges): { fingerprints: Evidence[]; rules: string[] } {
  const session = createRedactor({ fingerprintKey }).session();
  const texts = model.changes.flatMap(({ description, user, files }) => [
    { text: description },
    { text: user },
    ...files.map(({ path, content }) => ({ text: typeof content === 'string' ? content : '', path })),
    ...files.map(({ path }) => ({ text: path })),
  ]);
  const found = texts.flatMap(({ text, ...context }) => session.redact(text, context).findings);
  const fingerprints = [...new Set(found.map(({ fingerprint }) => fingerprint))].map((text) => ({
    where: 'a fingerprint',
    text,
  }));
  return { fingerprints, rules: [...new Set(found.map(({ rule }) => rule))] };
}

/** Which of the planted came back, by family. */
const familiesOf = (recovered: readonly Recovered[], { planted }: SecretChanges): string[] =>
  [...new Set(recovered.flatMap(({ guess }) => planted[guess]?.family ?? []))].sort();

describe('all that a review leaves behind', () => {
  it.each(isSoak ? ['SQLite', 'PostgreSQL'] : ['PostgreSQL'])(
    'RED-8 SEC-3 ART-6: on %s, no secret of a change is recovered from any row, artifact, request, mail, log or fingerprint',
    { timeout: isSoak ? 3_600_000 : 60_000 },
    async (database) => {
      const seed = isSoak ? randomBytes(4).readInt32BE() : 8_241;
      const changes = makeSecretChanges(seed, { ...size, words: 10_000 });
      const directory = mkdtempSync(join(tmpdir(), 'criticizer-secrecy-'));
      onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
      const postgres =
        database === 'SQLite'
          ? null
          : { url: inject('databaseUrl'), schema: `criticizer_demo_${randomBytes(4).toString('hex')}` };
      const secrets = makeSecrets(directory, changes.ticket);
      const queue = openQueue(directory, postgres);
      onTestFinished(async () => {
        await queue.close();
        if (postgres !== null) await forgetSchema(postgres);
      });

      const { heard, statuses, reviews } = await runReviews(directory, queue.stores, changes, mailServer);
      expect(statuses.map((status) => [status?.job.status, status?.job.lastFailure ?? null])).toEqual(
        changes.numbers.map(() => ['completed', null]),
      );
      const mails = await mailEvidence(directory);
      expect(mails).toHaveLength(2 * changes.numbers.length);
      for (const path of changes.hiddenPaths.filter((one) => one.endsWith('.js') && !one.includes('/old/')))
        expect(mails.some(({ text }) => text.includes(path))).toBe(true);

      const stored = await storedEvidence(directory, queue.stores, postgres?.schema);
      const artifacts = await openArtifacts(openVault(directory, queue), stored.rows);
      const opened = (namespace: 'raw' | 'redacted'): Evidence[] =>
        artifacts
          .filter((one) => one.namespace === namespace)
          .map(({ purpose, text }) => ({ where: `the ${namespace} ${purpose}`, text }));
      const { fingerprints, rules } = findingsOf(secrets.FINGERPRINT_KEY, changes);
      const evidence = [
        ...stored.evidence,
        ...opened('redacted'),
        ...heard,
        ...withoutPaths(
          [...mails, ...reviews.map((review) => ({ where: 'a review', text: JSON.stringify(review) }))],
          changes,
        ),
        ...fingerprints,
      ];

      const values = [...changes.planted.map(({ value }) => value), ...Object.values(secrets)];
      // A rule's name may hold the head that a vendor gives all its tokens: `rubygems-key`.
      const isPublic = (fragment: string): boolean =>
        changes.isPublic(fragment) || rules.some((rule) => rule.includes(fragment));
      const attack = { evidence, isPublic, publicValues: stored.publicValues };
      const tell = (recovered: readonly Recovered[]): string[] =>
        recovered.map(
          ({ guess, where, means }) => `${changes.planted[guess]?.family ?? 'key or word'} from ${where} by ${means}`,
        );
      expect([...new Set(tell(recoverSecrets({ ...attack, guesses: values })))], `seed ${seed}`).toEqual([]);
      // Those of its words that were planted were tried with every public value just now; the
      // others are in nothing, whatever the key.
      const words = recoverSecrets({
        ...attack,
        guesses: changes.dictionary,
        publicValues: isSoak ? stored.publicValues : [],
      });
      expect([...new Set(tell(words))], `seed ${seed}`).toEqual([]);

      // The same attack on what rests encrypted, once it is open, recovers every family: neither is
      // the attack blind nor the run empty.
      const raw = recoverSecrets({ ...attack, evidence: opened('raw'), guesses: values, publicValues: [] });
      expect(familiesOf(raw, changes)).toEqual([...new Set(changes.planted.map(({ family }) => family))].sort());
      expect(new Set(raw.map(({ guess }) => guess)).size).toBe(new Set(changes.planted.map(({ value }) => value)).size);
      // And without the key none of it opens.
      const stranger = openVault(directory, queue, new Secret(randomBytes(32).toString('base64')));
      for (const { id } of artifacts) await expect(stranger.read(id)).rejects.toMatchObject({ code: 'KEY_UNKNOWN' });
    },
  );
});
