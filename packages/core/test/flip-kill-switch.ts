import { killSwitchDocument } from '../src/egress/kill-switch.js';
import type { Stores } from '../src/stores/stores.js';

/** Writes the kill switch as its verb does, without an audit event. */
export async function flipKillSwitch<Tx>({ documents }: Pick<Stores<Tx>, 'documents'>, stopped: boolean) {
  const { version } = await documents.read(killSwitchDocument);
  await documents.write(killSwitchDocument, version, { stopped });
}
