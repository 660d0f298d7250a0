import { BARE } from './contexts.ts';
import { credentialFiles, encodedSecrets, inDiffs } from './files.ts';
import { type LabelledText, labelled } from './labelled-text.ts';
import { bareAssignments, keyedValues, passwords } from './passwords.ts';
import { privateKeys } from './private-keys.ts';
import { seededRandom } from './random.ts';
import { connectionUris, headersAndCommands, webhooks, webTokens } from './uris-and-headers.ts';
import { nearKeywords, vendorTokens } from './vendor-tokens.ts';

/** The labelled corpus of a seed: equal seeds give equal texts. `scale` 1 is the quick size. */
export function labelledCorpus(seed: number, scale: number): LabelledText[] {
  const random = seededRandom(seed);
  const bare: LabelledText[] = [];
  for (let i = 0; i < 20 * scale; i += 1)
    bare.push(
      labelled(
        'bare',
        'random text',
        random.text(random.pick(['alnum', 'base64url', 'hex']), 32 + random.below(33)),
        random.pick(BARE),
        random,
      ),
    );
  return [
    ...vendorTokens(random, 2 * scale),
    ...nearKeywords(random, scale),
    ...keyedValues(random, 300 * scale),
    ...passwords(random, 450 * scale),
    ...bareAssignments(random, 40 * scale),
    ...bare,
    ...connectionUris(random, 2 * scale),
    ...headersAndCommands(random, 3 * scale),
    ...webTokens(random, 10 * scale),
    ...webhooks(random, 2 * scale),
    ...privateKeys(random),
    ...credentialFiles(random, 2 * scale),
    ...encodedSecrets(random, 4 * scale),
    ...inDiffs(random, 4 * scale),
  ];
}
