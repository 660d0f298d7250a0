import { describe, expect, it } from 'vitest';
import { redactForLlm } from '../../egress/redact-for-llm.js';
import type { RedactedText } from '../../foundation/redacted-text.js';
import { builtInVariant } from '../../prompt/built-in-variant.js';
import { createMarkerRedactor } from '../../testing/support/marker-redactor.js';
import { type ChunkQuestion, nameReply, type QuestionTurn } from './chunk-question.js';

function redacted(text: string): RedactedText {
  const [piece] = redactForLlm({ redactor: createMarkerRedactor(), texts: [{ name: 't', text }] }).pieces;
  if (piece === undefined) throw new Error('one text was given');
  return piece.text;
}

const change = { role: 'user', files: [{ file: 0, hunks: [0, 1] }], isDescribed: true } as const;
const question: ChunkQuestion = {
  snapshot: 'digest',
  provider: { id: 'house', model: 'm-1', extraBody: { store: false, seed: 1 } },
  variant: builtInVariant,
  guidance: { languages: [], rules: [] },
  mode: 'json_schema',
  maxOutputTokens: 100,
  turns: [change],
};

describe('nameReply', () => {
  it('GRD-1: is the same for the same question, however it is written down', () => {
    const same = { ...question, provider: { model: 'm-1', id: 'house', extraBody: { seed: 1, store: false } } };
    expect(nameReply(same)).toBe(nameReply(question));
  });

  it('GRD-1: is another name for each question that differs', () => {
    const { provider } = question;
    const asked = (text: string): QuestionTurn[] => [
      change,
      { role: 'assistant', text: redacted(text) },
      { role: 'user', text: redacted('again') },
    ];
    const questions: ChunkQuestion[] = [
      question,
      { ...question, snapshot: 'other' },
      { ...question, provider: { ...provider, id: 'other' } },
      { ...question, provider: { ...provider, model: 'm-2' } },
      { ...question, provider: { ...provider, extraBody: { store: true, seed: 1 } } },
      { ...question, provider: { id: 'house', model: 'm-1', extraBody: undefined } },
      { ...question, variant: { ...builtInVariant, id: 'terse' } },
      { ...question, variant: { ...builtInVariant, promptVersion: '1.1.1' } },
      { ...question, guidance: { languages: [], rules: [{ paths: ['//depot/...'], instructions: 'Check units.' }] } },
      { ...question, guidance: { languages: [], rules: [{ paths: ['//depot/...'], instructions: 'Check locks.' }] } },
      { ...question, guidance: { languages: [], rules: [{ paths: ['//depot/a/...'], instructions: 'Check locks.' }] } },
      { ...question, guidance: { languages: ['Go'], rules: [] } },
      { ...question, mode: 'tool' },
      { ...question, maxOutputTokens: 200 },
      { ...question, turns: [{ ...change, files: [{ file: 0, hunks: [0] }] }] },
      { ...question, turns: [{ ...change, files: [...change.files, { file: 1, hunks: [0] }] }] },
      { ...question, turns: [{ ...change, isDescribed: false }] },
      { ...question, turns: [{ ...change, shown: 'digest' }] },
      { ...question, turns: [{ ...change, shown: 'of more context' }] },
      { ...question, turns: asked('an answer') },
      { ...question, turns: asked('another answer') },
      { ...question, turns: [...asked('an answer').slice(0, 2), { role: 'user', text: redacted('and again') }] },
    ];
    expect(new Set(questions.map(nameReply)).size).toBe(questions.length);
  });
});
