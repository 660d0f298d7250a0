import type { StoreModule } from '../modules.js';
import type { Stores } from '../stores.js';

/** The facets of stores, without what belongs to all of them. */
export type Facets = Omit<
  Stores<unknown>,
  'contract' | 'modules' | 'storeId' | 'transaction' | 'now' | 'migrationPlan' | 'migrate' | 'close'
>;

/** The module whose tables a facet uses. */
export const moduleOfFacet: { readonly [Facet in keyof Facets]: StoreModule } = {
  jobs: 'queue',
  deadLetters: 'queue',
  limits: 'queue',
  changes: 'queue',
  retention: 'queue',
  outbox: 'notify',
  messages: 'notify',
  preferences: 'notify',
  artifactManifest: 'artifacts',
  egress: 'review',
  cursors: 'review',
  documents: 'review',
  samples: 'review',
  suppressions: 'review',
  audit: 'audit',
  auditSeals: 'audit',
};
