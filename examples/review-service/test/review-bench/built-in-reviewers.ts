// Reviewers that know what was planted. They stand in for models, and show what the bench can tell apart.
import { type LlmProvider, type LlmUsage, readLlmRequest } from '@criticizer/core/llm';
import type { BenchChange, GroundTruth } from './make-changes.js';
import { isDefectShown, isEvidenceShown, onlyHunks } from './measure-evidence.js';
import { type PromptBlock, readBlocks, readShownLines, type ShownLine } from './read-prompt.js';

/**
 * - `oracle` reports each planted defect whose evidence it was shown, at its place, and nothing else.
 * - `hunks-only` reads the hunks and nothing round them.
 * - `wrong-lines` names lines that are off and quotes nothing.
 * - `chatty` adds remarks that are none.
 */
export const builtInReviewers = ['oracle', 'hunks-only', 'wrong-lines', 'chatty'] as const;
export type BuiltInReviewer = (typeof builtInReviewers)[number];

/** A built-in reviewer as a provider, and what it was sent. */
export interface RecordedReviewer {
  provider: LlmProvider;
  /** User texts, by the number of the change. */
  prompts: ReadonlyMap<number, readonly string[]>;
}

interface WireFinding {
  id: string;
  severity: string;
  category: string;
  title: string;
  file: string;
  line: number;
  message: string;
  /** Text of the cited line; null: it quotes nothing. */
  quote: string | null;
}

const remarksAtOnce = 6;
const wrongBy = 7;
export const reviewerHost = 'reviewer.bench.internal';

function report({ id, kind, why, places }: GroundTruth, shown: readonly ShownLine[]): WireFinding[] {
  const at = shown.find(({ file, line }) => places.some(({ path, lines }) => path === file && lines.includes(line)));
  if (at === undefined) return [];
  return [
    {
      // Of a severity that no check pass takes up: what is measured is the review.
      ...{ id, severity: 'medium', category: 'correctness', title: `Planted: ${kind.replaceAll('-', ' ')}` },
      ...{ file: at.file, line: at.line, message: why, quote: at.text },
    },
  ];
}

function remark({ file, line, text }: ShownLine, at: number): WireFinding {
  return {
    ...{ id: `remark-${at}`, severity: 'low', category: 'maintainability', title: `Consider a comment (${at})` },
    ...{ file, line, message: 'A reader may wonder why this is so.', quote: text },
  };
}

/** What the reviewer says of one prompt. */
function review(name: BuiltInReviewer, blocks: readonly PromptBlock[], truth: readonly GroundTruth[]): WireFinding[] {
  const read = name === 'hunks-only' ? onlyHunks(blocks) : blocks;
  const shown = readShownLines(read);
  const known = truth.filter((defect) => isDefectShown(defect, read) && isEvidenceShown(defect, read));
  const found = known.flatMap((defect) => report(defect, shown));
  if (name === 'wrong-lines') return found.map((one) => ({ ...one, line: one.line + wrongBy, quote: null }));
  if (name !== 'chatty') return found;
  const step = Math.max(1, Math.floor(shown.length / remarksAtOnce));
  return [...found, ...shown.filter((_, at) => at % step === 0).map(remark)];
}

const versionIn = (system: string, name: string): string | undefined =>
  new RegExp(`"${name}": "([0-9.]+)"`).exec(system)?.[1];

function writeReply(system: string, findings: readonly WireFinding[]): string {
  const quotes = findings.flatMap(({ id, quote }) => (quote === null || quote.trim() === '' ? [] : [[id, quote]]));
  return JSON.stringify({
    schema_version: versionIn(system, 'schema_version'),
    prompt_version: versionIn(system, 'prompt_version'),
    findings: findings.map(({ quote: _quote, ...finding }) => finding),
    ...(quotes.length === 0 ? {} : { meta: { quotes: Object.fromEntries(quotes) } }),
  });
}

const countNone: LlmUsage = { inputTokens: null, outputTokens: null, cachedInputTokens: 0, reasoningTokens: 0 };

/** About what a model's tokenizer makes of source: four bytes a token. */
const countTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4);

/** Which change a prompt is about: its paths begin with the change's stream. */
function numberIn(prompt: string): number | null {
  const found = /\/\/corpus\/c(\d{4,})\//.exec(prompt)?.[1];
  return found === undefined ? null : Number(found);
}

/** One of the built-in reviewers, for these changes. */
export function createBuiltInReviewer(name: BuiltInReviewer, changes: readonly BenchChange[]): RecordedReviewer {
  const truth = new Map(changes.map((one) => [one.change.number, one.truth]));
  const prompts = new Map<number, string[]>();
  const answer = (system: string, prompt: string): string => {
    const number = numberIn(prompt);
    if (number === null) return writeReply(system, []);
    prompts.set(number, [...(prompts.get(number) ?? []), prompt]);
    return writeReply(system, review(name, readBlocks(prompt), truth.get(number) ?? []));
  };
  const modes = ['prompt'] as const;
  const limits = { contextTokens: 128_000, maxOutputTokens: 8_192 };
  const url = `https://${reviewerHost}/`;
  const provider: LlmProvider = {
    ...{ contract: 1, id: name, model: 'built-in', host: reviewerHost, modes, limits },
    prepare(request) {
      const turns = readLlmRequest(request, { modes, limits });
      const body = JSON.stringify({ system: request.system, prompt: turns.at(-1)?.text ?? '' });
      return { method: 'POST', url, headers: {}, body, model: 'built-in' };
    },
    async send({ body }) {
      const { system, prompt } = JSON.parse(body) as { system: string; prompt: string };
      const text = answer(system, prompt);
      const usage = { ...countNone, inputTokens: countTokens(body), outputTokens: countTokens(text) };
      return { stop: 'complete', text, usage, requestId: null, providerStop: null };
    },
  };
  return { provider, prompts };
}
