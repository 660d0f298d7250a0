import { type Artifacts, isArtifactGone } from '../../artifacts/artifacts.js';
import { checkFields, checkOptions, type OptionShape } from '../../foundation/check-options.js';
import { checkedElsewhere, withMethods } from '../../foundation/option-checks.js';
import type { RuleSet } from '../../foundation/redactor.js';
import type { ArtifactManifest } from '../../stores/artifact-manifest.js';
import type { MessageStore } from '../../stores/message-store.js';
import type { MessageVault } from './frozen-mail.js';

/**
 * Frozen mails as encrypted artifacts: rows hold a digest and a reference, never text (EGR-5).
 * `rules` made what the mails say; null where something in them is not redacted: they rest among
 * the raw artifacts then (ART-5). What it saves stays pending until a job's checkpoint publishes
 * it.
 */
export function createMailVault(artifacts: Artifacts, rules: RuleSet | null): MessageVault {
  const namespace = rules === null ? 'raw' : 'redacted';
  return {
    save: (bytes, about) =>
      artifacts.write(
        { namespace, purpose: 'mail', contentType: 'application/json', redaction: rules, ...about },
        bytes,
      ),
    async load(id) {
      try {
        return (await artifacts.read(id)).body;
      } catch (error) {
        if (isArtifactGone(error)) return null;
        throw error;
      }
    },
  };
}

/**
 * The same vault, which finds the messages of a host's own mails too: a Criticizer delivers whatever is
 * due in the outbox, and those rest beside its rows.
 */
export function withHostMessages(vault: MessageVault, messages: Pick<MessageStore<never>, 'load'>): MessageVault {
  return { ...vault, load: async (id, options) => (await vault.load(id, options)) ?? messages.load(id) };
}

/** Where frozen mails lie as artifacts, and the rules that redacted them. */
export interface ArtifactVaultOptions<Tx> {
  artifacts: Artifacts<Tx>;
  /** `Stores.artifactManifest`, of the stores whose transactions `save` is given. */
  manifest: Pick<ArtifactManifest<Tx>, 'publish' | 'expire'>;
  /** The rules that redacted what the mails say. Default null: they rest among the raw artifacts. */
  rules?: RuleSet | null | undefined;
}

const optionShape: OptionShape<ArtifactVaultOptions<unknown>> = {
  artifacts: withMethods('write', 'read'),
  manifest: withMethods('publish', 'expire'),
  rules: checkedElsewhere,
};
const inTransaction: OptionShape<{ tx?: unknown }> = { tx: checkedElsewhere };

/**
 * The vault for mails of the host's own, over the artifact store: encrypted, expiring,
 * access-checked. With `tx`, the artifact's row, which holds its only key, is part of that
 * transaction: after a rollback what was written cannot be opened by anybody, and the artifact
 * sweep removes the bytes. Without `tx` it is live at once.
 */
export function createArtifactVault<Tx>(options: ArtifactVaultOptions<Tx>): MessageVault<Tx> {
  checkOptions('createArtifactVault', options, optionShape);
  const { artifacts, manifest, rules = null } = options;
  const about = {
    namespace: rules === null ? 'raw' : 'redacted',
    purpose: 'mail',
    contentType: 'application/json',
    redaction: rules,
  } as const;
  return {
    async save(bytes, { changelistId, jobId }, saving) {
      checkFields('vault.save: options', saving, inTransaction);
      const tx = saving?.tx;
      const id = await artifacts.write({ ...about, changelistId, jobId }, bytes, undefined, { tx });
      await manifest.publish([id], { tx });
      return id;
    },
    load: createMailVault(artifacts, rules).load,
    async discard(id, discarding) {
      checkFields('vault.discard: options', discarding, inTransaction);
      await manifest.expire([id], { tx: discarding?.tx });
    },
  };
}
