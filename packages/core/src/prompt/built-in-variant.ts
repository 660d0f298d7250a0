import { builtInCheck } from './check/check-template.js';
import { createPromptVariants, type PromptVariant, type PromptVariants } from './prompt-variant.js';
import { builtInTemplate } from './template.js';
import { template11 } from './template-1-1.js';

/**
 * The variant that this SDK ships.
 *
 * `promptVersion` is the version of the instructions (PR-1); a third segment marks clarifications
 * that change no behaviour (PR-2):
 * - 1.2: shows the whole change's file list, its jobs, headings and context (GRD-3); says what each
 *   severity means and what to look for by kind of file; has its findings checked (GRD-5).
 * - 1.1: strict modes ask for `meta.quotes` as a list. The parser read both shapes before (PR-4).
 * - 1.0: the first.
 */
export const builtInVariant: PromptVariant = Object.freeze({
  id: 'built-in',
  promptVersion: '1.2',
  schemaVersion: '1.0',
  template: builtInTemplate,
  check: builtInCheck,
});

/** What jobs may still be frozen on: 1.1 showed hunks alone and had no check. */
export const variant11: PromptVariant = Object.freeze({
  id: 'built-in',
  promptVersion: '1.1',
  schemaVersion: '1.0',
  template: template11,
});

/**
 * The built-in variants, the default one first, and those of the host. A release that changes the built-in
 * one keeps the one before here, for the jobs that are frozen on it. Throws what `createPromptVariants` throws.
 */
export function listPromptVariants(more: readonly PromptVariant[] = []): PromptVariants {
  return createPromptVariants([builtInVariant, variant11, ...more]);
}
