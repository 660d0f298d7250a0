// #region run
import { describeArtifactStoreContract } from '@criticizer/core/testing';
import { describe, it } from 'vitest';
import { createMapArtifactStore } from './map-artifact-store.js';

describeArtifactStoreContract(
  { describe, it },
  { create: async () => ({ store: createMapArtifactStore(), dispose: async () => {} }) },
);
// #endregion
