import type { JsonValue } from '../foundation/json.js';
import { checkJson, checkText, checkWhole } from '../foundation/store-input.js';

/** A shared document with a version: the kill switch (EGR-4), rollout slices (PR-4), latched gates (PR-6). */
export interface StoredDocument {
  name: string;
  /** 0: never written. */
  version: number;
  value: JsonValue;
  updatedAt: Date | null;
}

/** Named JSON documents, each replaced as a whole by compare-and-set (PR-4, EGR-4). */
export interface DocumentStore<Tx> {
  readonly storeId: string;
  /** A document never written comes as version 0 and value null. */
  read(name: string): Promise<StoredDocument>;
  /**
   * Replaces the document where the stored version is `expectedVersion`; the new version is one
   * higher. `conflict` gives the stored version, and nothing was written. Throws `TypeError` for a
   * name that is not 1 to 128 characters, a version below 0, and what JSON cannot hold.
   */
  write(
    name: string,
    expectedVersion: number,
    value: JsonValue,
    options?: { tx?: Tx | undefined },
  ): Promise<{ outcome: 'written' | 'conflict'; version: number }>;
}

/** Bad input to `DocumentStore.write`, for every store. Throws `TypeError` naming the argument. */
export function checkDocumentWrite(name: string, expectedVersion: number, value: JsonValue): void {
  checkText('name', name, 128);
  checkWhole('expectedVersion', expectedVersion, 0);
  checkJson('value', value);
}
